-- Changes a record, if it stands where the caller saw it and all outages are made good in it.
-- Nothing of it is written before that is known. Begins with outage.lua.
--
-- KEYS  1 record, 2 due, 3 beats, 4 outages; with a message also order and messages of the outbox;
--       with another label also labels
-- ARGV  1 id, 2 expected head or '', 3 new head, 4 next due or '', 5 '1' if ended, else '',
--       6 how long an ended record stays, 7 PUBLISH or SPUBLISH, 8 channel,
--       9 the longest silence that is no outage, 10 how many outages are kept,
--       11 how many are made good, 12 id of the message or '', 13 the message,
--       14 the label that it has and 15 gets or '', 16 lengths of the entries, 17… entries
-- Gives nothing; or the head that stands in the way, '' for none; or 'outage'.
--
-- A record is a list. Its first element, the state, is its head (24 bytes); behind it, if it is
-- over or messages of it wait in the outbox, '1' or '0' for over, and how many wait. Its entries
-- follow. Numbers are compared as strings only.
local record = KEYS[1]
local state = redis.call('LINDEX', record, 0) or ''
local waiting, over = 0, false
if state ~= ARGV[2] then
  if string.sub(state, 1, 24) ~= ARGV[2] then
    return string.sub(state, 1, 24)
  end
  over = string.sub(state, 25, 25) == '1'
  waiting = tonumber(string.sub(state, 26))
end

if ARGV[2] ~= '' and look(KEYS[3], KEYS[4], KEYS[2], ARGV[9], ARGV[10]) ~= ARGV[11] then
  return 'outage'
end

if ARGV[12] ~= '' and redis.call('HSETNX', KEYS[6], ARGV[12], ARGV[13]) == 1 then
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[5], time[1] .. string.format('%06d', time[2]), ARGV[12])
  waiting = waiting + 1
end

local after = ARGV[3]
if ARGV[5] == '1' then
  after = after .. '1' .. waiting
elseif waiting > 0 then
  after = after .. '0' .. waiting
end
if state == '' then
  redis.call('RPUSH', record, after)
elseif state ~= after then
  redis.call('LSET', record, 0, after)
end
-- In pieces, for Lua's stack.
for first = 17, #ARGV, 1000 do
  redis.call('RPUSH', record, unpack(ARGV, first, math.min(first + 999, #ARGV)))
end

if ARGV[4] == '' then
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
end

if ARGV[5] == '1' and waiting == 0 then
  redis.call('PEXPIRE', record, ARGV[6])
elseif over then
  redis.call('PERSIST', record)
end

if ARGV[14] ~= ARGV[15] then
  for label, change in pairs({[ARGV[14]] = -1, [ARGV[15]] = 1}) do
    if label ~= '' then
      redis.call('HINCRBY', KEYS[#KEYS], label, change)
    end
  end
end

if #ARGV > 16 then
  redis.call(ARGV[7], ARGV[8], ARGV[3] .. table.concat(ARGV, '', 16))
end
