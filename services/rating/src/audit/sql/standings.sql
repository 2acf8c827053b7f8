-- Players who do not stand where their last ledger row left them; one without rows stands at the
-- start, level $1 with $2 points.
with newest as (select player_id, max(entry_id) as entry_id from ledger group by player_id),
rebuilt as (
    select standings.player_id, standings.level, standings.points, standings.entries,
        coalesce(ledger.level_after, $1) as level_due,
        coalesce(ledger.points_after, $2) as points_due,
        coalesce(ledger.entry_id, 0) as entries_due
    from standings
    left join newest on newest.player_id = standings.player_id
    left join ledger
        on ledger.player_id = newest.player_id and ledger.entry_id = newest.entry_id
)
select 'standings: ' || player_id || ' is at level ' || level || ' points ' || points ||
    ' after ' || entries || ' rows, the ledger says level ' || level_due || ' points ' ||
    points_due || ' after ' || entries_due as difference
from rebuilt
where level <> level_due or points <> points_due or entries <> entries_due
