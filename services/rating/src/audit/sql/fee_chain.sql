-- Fees that do not go on from the balance before.
with linked as (
    select player_id, fee_id, amount, balance,
        lag(fee_id) over own as fee_ahead, lag(balance) over own as balance_ahead
    from fees
    window own as (partition by player_id order by fee_id)
)
select 'fees: ' || player_id || ' fee ' || fee_id ||
    case when fee_id <> coalesce(fee_ahead, 0) + 1
    then ' follows ' || coalesce(fee_ahead, 0)
    else ' of ' || amount || ' makes ' || balance || ' out of ' || coalesce(balance_ahead, 0)
    end as difference
from linked
where fee_id <> coalesce(fee_ahead, 0) + 1 or balance <> coalesce(balance_ahead, 0) + amount
