-- Players of a booked game, or of a row, without a standing.
select 'standings: ' || player_id || ' has played, but has no standing' as difference
from (
    select black_id as player_id from results
    union select white_id from results
    union select player_id from ledger
    union select player_id from fees
) as players
where not exists (select 1 from standings where standings.player_id = players.player_id)
