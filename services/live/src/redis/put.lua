-- Changes one entry of a slot, if it is the one that the caller saw.
--
-- KEYS  1 entries, 2 expiries
-- ARGV  1 key, 2 expected version or '', 3 new value or '' to remove the entry, 4 its expiry or '',
--       5 now, 6 how many entries at most
-- Gives { 'done' }, { 'full' }, or { 'conflict', the version that stands or '' }.
--
-- A value begins with its version (8 bytes). What has expired goes first, each entry once.
while true do
  local gone = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[5], 'LIMIT', 0, 1000)
  if #gone == 0 then
    break
  end
  redis.call('HDEL', KEYS[1], unpack(gone))
  redis.call('ZREM', KEYS[2], unpack(gone))
end

local found = redis.call('HGET', KEYS[1], ARGV[1])
local version = found and string.sub(found, 1, 8) or ''
if version ~= ARGV[2] then
  return { 'conflict', version }
end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
elseif not found and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[6]) then
  return { 'full', '' }
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
if ARGV[3] ~= '' and ARGV[4] ~= '' then
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
elseif found then
  redis.call('ZREM', KEYS[2], ARGV[1])
end

-- A slot whose entries all expire goes with the last of them, a while later: whose clock is behind
-- still finds it.
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
if last and redis.call('ZCARD', KEYS[2]) == redis.call('HLEN', KEYS[1]) then
  for _, key in ipairs(KEYS) do
    redis.call('PEXPIREAT', key, string.format('%.0f', tonumber(last) + 60000))
  end
else
  for _, key in ipairs(KEYS) do
    redis.call('PERSIST', key)
  end
end
return { 'done', '' }
