-- Reads the oldest messages of one partition's outbox.
--
-- KEYS  1 order, 2 messages
-- ARGV  1 how many at most
-- Gives id, when it came, message, id, …
local found = redis.call('ZRANGE', KEYS[1], 0, tonumber(ARGV[1]) - 1, 'WITHSCORES')
local taken = {}
for i = 1, #found, 2 do
  taken[#taken + 1] = found[i]
  taken[#taken + 1] = found[i + 1]
  taken[#taken + 1] = redis.call('HGET', KEYS[2], found[i])
end
return taken
