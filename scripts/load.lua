local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init()
  failed = 0
  refused = 0
end

function response(status)
  if status >= 500 then failed = failed + 1 elseif status >= 400 then refused = refused + 1 end
end

function done(summary, latency)
  local failures, refusals = 0, 0
  for _, thread in ipairs(threads) do
    failures = failures + thread:get('failed')
    refusals = refusals + thread:get('refused')
  end
  local errors = summary.errors
  io.write(string.format('{"answered":%d,"failed":%d,"refused":%d,"broken":%d,"late":%d,"p99":%d}\n',
    summary.requests, failures, refusals, errors.connect + errors.read + errors.write, errors.timeout,
    math.floor(latency:percentile(99) / 1000)))
end
