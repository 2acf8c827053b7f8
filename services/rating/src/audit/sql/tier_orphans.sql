-- Tiers of a game that was never booked, or of somebody who did not play it.
select 'tiers: ' || player_id || ' has tier ' || tier || ' in ' || game_id ||
    ', which is not in the results as a game of theirs' as difference
from tiers
where not exists (
    select 1 from results
    where results.game_id = tiers.game_id
        and tiers.player_id in (results.black_id, results.white_id))
