-- One version of a result, and the newest other one. No row where it was booked before.
insert into results
    (game_id, version, black_id, white_id, rated, reason, black_counted, white_counted,
     ended_at_ms, booked_at_ms)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict do nothing
returning
    (select max(version) from results as other
     where other.game_id = results.game_id and other.version <> results.version) as newest_other
