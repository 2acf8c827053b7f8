-- Players whose counts are not those of the newest version of each of their games.
with newest as (select game_id, max(version) as version from results group by game_id),
seats as (
    select black_id as player_id, black_counted as counted from results
    join newest on newest.game_id = results.game_id and newest.version = results.version
    union all
    select white_id, white_counted from results
    join newest on newest.game_id = results.game_id and newest.version = results.version
),
due as (
    select player_id, count(case when counted = 'WIN' then 1 end) as won,
        count(case when counted = 'LOSS' then 1 end) as lost,
        count(case when counted = 'DRAW' then 1 end) as drawn,
        count(case when counted = 'ESCAPE' then 1 end) as escaped,
        count(case when counted = 'DISCONNECT_LOSS' then 1 end) as disconnected
    from seats group by player_id
),
rebuilt as (
    select standings.player_id, standings.won, standings.lost, standings.drawn, standings.escaped,
        standings.disconnected, coalesce(due.won, 0) as won_due, coalesce(due.lost, 0) as lost_due,
        coalesce(due.drawn, 0) as drawn_due, coalesce(due.escaped, 0) as escaped_due,
        coalesce(due.disconnected, 0) as disconnected_due
    from standings
    left join due on due.player_id = standings.player_id
)
select 'standings: ' || player_id || ' has won ' || won || ', lost ' || lost || ', drawn ' || drawn ||
    ', escaped ' || escaped || ', disconnected ' || disconnected || ', the results say won ' ||
    won_due || ', lost ' || lost_due || ', drawn ' || drawn_due || ', escaped ' || escaped_due ||
    ', disconnected ' || disconnected_due as difference
from rebuilt
where won <> won_due or lost <> lost_due or drawn <> drawn_due or escaped <> escaped_due
    or disconnected <> disconnected_due
