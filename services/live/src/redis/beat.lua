-- Shows that one partition lives. Begins with outage.lua.
--
-- KEYS  1 beats, 2 outages, 3 due
-- ARGV  1 the longest silence that is no outage, 2 how many outages are kept
-- Gives the number of outages so far.
local number, now = look(KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2])
redis.call('SET', KEYS[1], now .. ' ' .. number)
return number
