-- How many players have more than level $1 with $2 points: the levels above, then ever narrower slots.
select cast(coalesce(sum(players), 0) as bigint) as above from (
    select players from board_counts where width = 4611686018427387904 and level > $1
    union all
    select players from board_counts
    where width = 65536 and level = $1 and slot > $2 / 65536
    union all
    select players from board_counts
    where width = 256 and level = $1 and slot > $2 / 256 and slot < ($2 / 65536 + 1) * 256
    union all
    select players from board_counts
    where width = 1 and level = $1 and slot > $2 and slot < ($2 / 256 + 1) * 256
    union all
    select players from board_deltas where (level, points) > ($1, $2)
) as counted
