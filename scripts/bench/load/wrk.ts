import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { PlatformError } from '@octavo/platform';
import { counter } from '../api-request.ts';
import type { Load, LoadOptions } from './load.ts';

const run = promisify(execFile);

interface Told {
  answered: number;
  seconds: number;
  broken: number;
  refused: number;
  unexpected: number;
  p50: number;
  p99: number;
}

const quoted = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;

/** What wrk runs: it reads the requests from a file, by their lengths, and looks at answers only where it has to. */
function scriptOf(file: string, { requests, first }: LoadOptions): string {
  const lengths = requests.map(({ bytes }) => bytes.length).join(',');
  const [{ status, bodyStart } = { status: 200, bodyStart: '' }] = requests;
  const isLookedAt = bodyStart !== '' || status !== 200;
  return `
local requests, number, count, threads = {}, ${first}, ${requests.length}, {}
local file = io.open(${quoted(file)}, 'rb')
for nth, length in ipairs({${lengths}}) do requests[nth] = file:read(length) end
file:close()
unexpected = 0

function setup(thread) table.insert(threads, thread) end

function request()
  local text = requests[number % count + 1]
  number = number + 1
  ${requests.some(({ counters }) => counters.length > 0) ? `text = text:gsub(${quoted(counter)}, string.format('%0${counter.length}d', number - 1))` : ''}
  return text
end
${
  isLookedAt
    ? `
function response(status, headers, body)
  if status ~= ${status} or body:sub(1, ${Buffer.byteLength(bodyStart)}) ~= ${quoted(bodyStart)} then unexpected = unexpected + 1 end
end`
    : ''
}
function done(summary, latency)
  local errors, seen = summary.errors, 0
  for _, thread in ipairs(threads) do seen = seen + thread:get('unexpected') end
  io.write(string.format('{"answered":%d,"seconds":%f,"broken":%d,"refused":%d,"unexpected":%d,"p50":%f,"p99":%f}\\n',
    summary.requests, summary.duration / 1e6, errors.connect + errors.read + errors.write + errors.timeout,
    errors.status, seen, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`;
}

function asLoad({ answered, seconds, broken, refused, unexpected, p50, p99 }: Told, first: number): Load {
  const reasons = { 'broken or late': broken, 'status 400 and above': refused, unexpected };
  const failures = Object.fromEntries(Object.entries(reasons).filter(([, times]) => times > 0));
  // More may have been sent than was answered; numbers only have to differ.
  return { answered, perSecond: answered / seconds, p50, p99, failures, next: first + answered + 1000 };
}

/** The same load by wrk with one thread, whose seconds are whole ones; its files lie in this folder meanwhile. */
export async function loadByWrk(options: LoadOptions, folder: string): Promise<Load> {
  const { host, port, requests, connections, seconds, first } = options;
  const [script, bytes] = [path.join(folder, 'load.lua'), path.join(folder, 'load.bytes')];
  await writeFile(bytes, Buffer.concat(requests.map((request) => request.bytes)));
  await writeFile(script, scriptOf(bytes, options));
  const flags = ['-t1', `-c${connections}`, `-d${Math.max(1, Math.round(seconds))}s`, '--timeout', '30s', '-s', script];
  try {
    const { stdout } = await run('wrk', [...flags, `http://${host}:${port}/`]);
    return asLoad(JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Told, first);
  } catch (error) {
    throw new PlatformError(`wrk failed: ${error instanceof Error ? error.message : error}`);
  } finally {
    await rm(script);
    await rm(bytes);
  }
}
