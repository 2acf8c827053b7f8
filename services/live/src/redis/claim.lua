-- Leases what is due in one partition: each is due again when the lease is over.
--
-- KEYS  1 due
-- ARGV  1 what a record's key has before its id, 2 now, 3 end of the lease, 4 how many at most
-- Gives id, due, id, due …
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'WITHSCORES', 'LIMIT', 0, ARGV[4])
local claims = {}
for i = 1, #found, 2 do
  if redis.call('EXISTS', ARGV[1] .. found[i]) == 1 then
    redis.call('ZADD', KEYS[1], ARGV[3], found[i])
    claims[#claims + 1] = found[i]
    claims[#claims + 1] = found[i + 1]
  else
    -- Its record has expired.
    redis.call('ZREM', KEYS[1], found[i])
  end
end
return claims
