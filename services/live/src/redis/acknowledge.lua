-- Removes messages from one partition's outbox. An ended record whose last message this was stays
-- for a while from now.
--
-- KEYS  1 order, 2 messages
-- ARGV  1 what a record's key has before its id, 2 how long an ended record stays, 3… ids
for i = 3, #ARGV do
  local message = redis.call('HGET', KEYS[2], ARGV[i])
  if message then
    redis.call('HDEL', KEYS[2], ARGV[i])
    redis.call('ZREM', KEYS[1], ARGV[i])
    -- A message begins with the length of its record's id, and that id.
    local record = ARGV[1] .. string.sub(message, 3, 2 + struct.unpack('>I2', message))
    -- The record's state: see commit.lua.
    local state = redis.call('LINDEX', record, 0)
    if state then
      local over = string.sub(state, 25, 25)
      local waiting = tonumber(string.sub(state, 26)) - 1
      local after = string.sub(state, 1, 24)
      if over == '1' or waiting > 0 then
        after = after .. over .. waiting
      end
      redis.call('LSET', record, 0, after)
      if over == '1' and waiting == 0 then
        redis.call('PEXPIRE', record, ARGV[2])
      end
    end
  end
end
