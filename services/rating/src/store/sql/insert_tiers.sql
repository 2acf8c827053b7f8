-- The tiers of both seats; that of most is 0 and makes no row. A later version of the result tells the
-- same.
insert into tiers (game_id, player_id, tier)
select * from (values ($1, $2, $3), ($4, $5, $6)) as seated
where column3 > 0
on conflict do nothing
