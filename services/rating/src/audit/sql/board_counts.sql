-- Slots of the leaderboard whose count, with what is not folded into it yet, is not the number of
-- players who stand there.
with widths (width) as (values (1), (256), (65536), (4611686018427387904)),
counted as (
    select level, width, slot, players as held, 0 as due from board_counts
    union all
    select level, width, points / width, players, 0 from board_deltas cross join widths
    union all
    select level, width, points / width, 0, 1 from standings cross join widths where entries > 0
)
select 'leaderboard: level ' || level || ' width ' || width || ' slot ' || slot || ' counts ' ||
    sum(held) || ' players, the standings say ' || sum(due) as difference
from counted
group by level, width, slot
having sum(held) <> sum(due)
