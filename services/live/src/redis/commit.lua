-- Changes a record, if it stands where the caller saw it. Nothing is written before that is known,
-- so a script that is refused has changed nothing.
--
-- KEYS  1 record, 2 due; with a message also 3 order, 4 messages of the outbox
-- ARGV  1 id, 2 expected head or '', 3 new head, 4 next due or '', 5 '1' if ended, else '0',
--       6 how long an ended record stays, 7 PUBLISH or SPUBLISH, 8 channel,
--       9 id of the message or '', 10 the message, 11… entries
-- Gives nothing, or the head that stands in the way, '' for none.
--
-- A record is a list: its first element is head (24 bytes), '1' if ended, and the number of its
-- messages that wait in the outbox; its entries follow. Numbers are compared as strings only.
local record, due = KEYS[1], KEYS[2]
local state = redis.call('LINDEX', record, 0)
local standing = state and string.sub(state, 1, 24) or ''
if standing ~= ARGV[2] then
  return standing
end

local waiting = state and tonumber(string.sub(state, 26)) or 0
if ARGV[9] ~= '' and redis.call('HSETNX', KEYS[4], ARGV[9], ARGV[10]) == 1 then
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[3], time[1] .. string.format('%06d', time[2]), ARGV[9])
  waiting = waiting + 1
end

local after = ARGV[3] .. ARGV[5] .. waiting
if state then
  redis.call('LSET', record, 0, after)
else
  redis.call('RPUSH', record, after)
end
-- In pieces, for Lua's stack.
for first = 11, #ARGV, 1000 do
  redis.call('RPUSH', record, unpack(ARGV, first, math.min(first + 999, #ARGV)))
end

if ARGV[4] == '' then
  redis.call('ZREM', due, ARGV[1])
else
  redis.call('ZADD', due, ARGV[4], ARGV[1])
end

if ARGV[5] == '1' and waiting == 0 then
  redis.call('PEXPIRE', record, ARGV[6])
elseif state and string.sub(state, 25, 25) == '1' then
  redis.call('PERSIST', record)
end

if #ARGV > 10 then
  local wake = { ARGV[3] }
  for i = 11, #ARGV do
    wake[#wake + 1] = struct.pack('>I4', #ARGV[i]) .. ARGV[i]
  end
  redis.call(ARGV[7], ARGV[8], table.concat(wake))
end
