-- Every version of every result with its ledger rows, game by game in the order of their bytes.
select results.game_id as of_game, results.version as of_version, results.black_id as of_black,
    results.white_id as of_white, results.rated as of_rated, results.reason as of_reason,
    results.black_counted, results.white_counted, results.booked_at_ms,
    coalesce((select tier from tiers
        where tiers.game_id = results.game_id and tiers.player_id = results.black_id), 0)
        as black_tier,
    coalesce((select tier from tiers
        where tiers.game_id = results.game_id and tiers.player_id = results.white_id), 0)
        as white_tier,
    (select cast(coalesce(sum(amount), 0) as bigint) from fees
        where fees.game_id = results.game_id and fees.player_id = results.black_id) as black_paid,
    (select cast(coalesce(sum(amount), 0) as bigint) from fees
        where fees.game_id = results.game_id and fees.player_id = results.white_id) as white_paid,
    ledger.*
from results
left join ledger
    on ledger.game_id = results.game_id and ledger.result_version = results.version
order by results.game_id BYTEWISE, results.version, ledger.kind, ledger.seat
