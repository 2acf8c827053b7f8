-- Adds to the counts what bookings have moved. In order, so that two folds wait for each other in turn.
with widths (width) as (values (1), (256), (65536), (4611686018427387904))
insert into board_counts (level, width, slot, players)
select level, width, points / width, sum(players) from board_deltas cross join widths
where true
group by level, width, points / width
having sum(players) <> 0
order by level, width, points / width
on conflict (width, level, slot) do update set players = board_counts.players + excluded.players
