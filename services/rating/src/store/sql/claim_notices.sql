-- The oldest notices that nobody is about to tell; until $2 nobody else takes them.
update notices set claimed_until_ms = $2
where claimed_until_ms <= $1 and (player_id, entry_id) in (
    select player_id, entry_id from notices where claimed_until_ms <= $1
    order by booked_at_ms, player_id, entry_id limit $3)
returning player_id, entry_id, booked_at_ms
