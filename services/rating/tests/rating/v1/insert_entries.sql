-- The rows of both seats.
insert into ledger
    (player_id, entry_id, game_id, seat, kind, result_version, reason, counted, stake, nominal,
     applied, level_before, points_before, total_before, level_after, points_after, total_after,
     opponent_id, at_ms)
values
    ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19),
    ($20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38)
