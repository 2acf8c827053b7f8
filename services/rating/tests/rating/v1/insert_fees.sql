-- The fees of both seats; a fee of 0 is none, and makes no row.
insert into fees (player_id, fee_id, game_id, result_version, amount, balance, at_ms)
select * from (values ($1, $2, $3, $4, $5, $6, $7), ($8, $9, $10, $11, $12, $13, $14)) as paid
where column5 <> 0
