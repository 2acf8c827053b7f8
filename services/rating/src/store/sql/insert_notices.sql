-- The newest ledger row of each player: what the session service is told of.
insert into notices (player_id, entry_id, booked_at_ms) values ($1, $2, $5), ($3, $4, $5)
