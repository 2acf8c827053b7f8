-- Appends a message to a feed, unless it holds one of the same key.
--
-- KEYS  1 feed
-- ARGV  1 key, 2 what it says, 3 how many messages are kept, 4 how long they are after the newest,
--       5 PUBLISH or SPUBLISH, 6 channel
-- Gives the message's sequence.
--
-- A feed is a list of messages, the oldest first: sequence (8 bytes), length of the key (2 bytes),
-- key, what it says.
local feed = KEYS[1]
local named = struct.pack('>H', #ARGV[1]) .. ARGV[1]
local last = 0
for _, message in ipairs(redis.call('LRANGE', feed, 0, -1)) do
  last = struct.unpack('>L', message)
  if string.sub(message, 9, 8 + #named) == named then
    return last
  end
end

local sequence = struct.pack('>L', last + 1)
redis.call('RPUSH', feed, sequence .. named .. ARGV[2])
redis.call('LTRIM', feed, -tonumber(ARGV[3]), -1)
redis.call('PEXPIRE', feed, ARGV[4])
-- As a commit of one entry tells it; a feed has no chain hash.
redis.call(ARGV[5], ARGV[6],
  sequence .. string.rep('\0', 16) .. struct.pack('>I4I4', 1, #ARGV[2]) .. ARGV[2])
return last + 1
