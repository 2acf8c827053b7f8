-- What beat.lua and commit.lua begin with: looks whether an outage of a partition lasts until now.
-- It is then over: it is written down, and what is due some day is due at once.
--
-- Gives the number of outages so far, and now in milliseconds. The key of beats says when the last
-- one was and that number; that of outages lists them, 'from to', the newest last.
local function look(beats, outages, due, longest, kept)
  local time = redis.call('TIME')
  local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
  local last, number = string.match(redis.call('GET', beats) or '', '^(%d+) (%d+)$')
  if last and now - last > tonumber(longest) then
    number = string.format('%.0f', number + 1)
    redis.call('SET', beats, now .. ' ' .. number)
    redis.call('RPUSH', outages, last .. ' ' .. now)
    redis.call('LTRIM', outages, -kept, -1)
    local waiting = redis.call('ZRANGEBYSCORE', due, '(' .. now, '+inf')
    for _, record in ipairs(waiting) do
      redis.call('ZADD', due, now, record)
    end
  end
  return number or '0', now
end
