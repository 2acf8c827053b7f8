-- One version of a result; the newest other one; and, where $11 is 1, how many other games of the two,
-- as they stand, ended less than a day from it and moved points. No row where it was booked before.
insert into results
    (game_id, version, black_id, white_id, rated, reason, black_counted, white_counted,
     ended_at_ms, booked_at_ms)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict do nothing
returning
    (select max(version) from results as other
     where other.game_id = results.game_id and other.version <> results.version) as newest_other,
    case $11 when 1 then (
        select count(*) from results as game
        where ((game.black_id = results.black_id and game.white_id = results.white_id)
                or (game.black_id = results.white_id and game.white_id = results.black_id))
            and game.ended_at_ms > results.ended_at_ms - 86400000
            and game.ended_at_ms < results.ended_at_ms + 86400000
            and game.game_id <> results.game_id and game.rated = 1
            and not exists (
                select 1 from results as newer
                where newer.game_id = game.game_id and newer.version > game.version)
            and exists (
                select 1 from ledger
                where ledger.game_id = game.game_id and ledger.result_version = game.version
                    and ledger.kind <> 'COMPENSATION' and ledger.nominal <> 0)
    ) else 0 end as moving_games
