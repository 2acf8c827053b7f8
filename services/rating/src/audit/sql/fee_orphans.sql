-- Fees of a result that was never booked, or of somebody who did not play it.
select 'fees: ' || player_id || ' fee ' || fee_id || ' is of ' || game_id || ' version ' ||
    result_version || ', which is not in the results as a game of theirs' as difference
from fees
where not exists (
    select 1 from results
    where results.game_id = fees.game_id and results.version = fees.result_version
        and fees.player_id in (results.black_id, results.white_id))
