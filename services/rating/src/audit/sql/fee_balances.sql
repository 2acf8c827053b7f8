-- Players whose balance is not the sum of their fees.
with rebuilt as (
    select standings.player_id, standings.fee_balance, standings.fees,
        coalesce(sum(fees.amount), 0) as balance_due, count(fees.fee_id) as fees_due
    from standings
    left join fees on fees.player_id = standings.player_id
    group by standings.player_id, standings.fee_balance, standings.fees
)
select 'standings: ' || player_id || ' has a fee balance of ' || fee_balance || ' after ' || fees ||
    ' fees, the fees say ' || balance_due || ' after ' || fees_due as difference
from rebuilt
where fee_balance <> balance_due or fees <> fees_due
