-- Moves messages to the back of one partition's outbox.
--
-- KEYS  1 order
-- ARGV  1… ids
local time = redis.call('TIME')
for i = 1, #ARGV do
  redis.call('ZADD', KEYS[1], 'XX', time[1] .. string.format('%06d', time[2]), ARGV[i])
end
