-- A player's fees before one of them, the newest first, with the tier that each was paid by.
select fees.fee_id, fees.game_id, fees.amount, fees.balance, fees.at_ms,
    coalesce(tiers.tier, 0) as tier
from fees
left join tiers on tiers.game_id = fees.game_id and tiers.player_id = fees.player_id
where fees.player_id = $1 and fees.fee_id < $2
order by fees.fee_id desc limit $3
