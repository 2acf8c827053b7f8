-- Rows that do not go on where the one before of the same player ended.
with linked as (
    select player_id, entry_id, level_before, points_before, total_before,
        lag(entry_id) over own as entry_ahead, lag(level_after) over own as level_ahead,
        lag(points_after) over own as points_ahead, lag(total_after) over own as total_ahead
    from ledger
    window own as (partition by player_id order by entry_id)
)
select 'ledger: ' || player_id || ' row ' || entry_id ||
    case when entry_id <> coalesce(entry_ahead, 0) + 1
    then ' follows ' || coalesce(entry_ahead, 0)
    else ' begins at level ' || level_before || ' points ' || points_before ||
        ' total ' || total_before || ', the row before ended at level ' || level_ahead ||
        ' points ' || points_ahead || ' total ' || total_ahead
    end as difference
from linked
where entry_id <> coalesce(entry_ahead, 0) + 1
    or level_before <> level_ahead or points_before <> points_ahead or total_before <> total_ahead
