-- Both players, whose rows are there and locked.
insert into standings
    (player_id, level, points, won, lost, drawn, escaped, disconnected, fee_balance, entries, fees)
values
    ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11),
    ($12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
on conflict (player_id) do update set
    level = excluded.level, points = excluded.points, won = excluded.won, lost = excluded.lost,
    drawn = excluded.drawn, escaped = excluded.escaped, disconnected = excluded.disconnected,
    fee_balance = excluded.fee_balance, entries = excluded.entries, fees = excluded.fees
