-- Two players, the lower id first; each that has no row yet is put at the start. The update changes
-- nothing: both engines hold an updated row until the transaction ends.
insert into standings (player_id, level, points)
values ($1, $3, $4), ($2, $3, $4)
on conflict (player_id) do update set level = standings.level
returning *
