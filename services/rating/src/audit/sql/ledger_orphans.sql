-- Rows of a result that was never booked.
select 'ledger: ' || player_id || ' row ' || entry_id || ' is of ' || game_id || ' version ' ||
    result_version || ', which is not in the results' as difference
from ledger
where not exists (
    select 1 from results
    where results.game_id = ledger.game_id and results.version = ledger.result_version)
