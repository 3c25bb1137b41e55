import { hostname } from 'node:os';
import { beforeAll, expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import { type OwnPlatform, startOwnPlatform } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript, runOnHost } from '../../support/script-host.ts';

const fetches = getScript(`
const answers = [];
for (const url of environment.urls) {
  try { const answer = await fetch(url, environment.init); answers.push(answer.status + ' ' + (await answer.text()).slice(0, 20)); }
  catch (error) { answers.push('refused: ' + error.message); }
}
return Response.json(answers);
`);

/** Returns what a script receives from these URLs on the platform with this data folder. */
async function fetchFromScript(dataDir: string, urls: string[], init: object = {}, tenant = 'one'): Promise<string[]> {
  const outcome = await runOnHost(dataDir, { script: fetches, tenant, environment: { urls, init } });
  expect(outcome).toMatchObject({ ok: true });
  return JSON.parse(outcome.text) as string[];
}

let guarded: OwnPlatform;

beforeAll(async () => {
  guarded = await startOwnPlatform({ addressHeader: 'x-told', rateLimits: 'requests=20' });
  return () => guarded.remove();
});

test('a script reaches no private address by number, name or redirect', async () => {
  const reached: string[] = [];
  const base = await serveLocally(({ url, headers }, response) => {
    reached.push(headers.host ?? '');
    if (url === '/redirect') response.writeHead(302, { location: '/' });
    response.end('inside');
  });
  const { port } = new URL(base);
  const urls = [
    ...[
      `127.0.0.1`,
      'localhost',
      hostname(),
      '[::1]',
      '[::ffff:127.0.0.1]',
      '2130706433',
      '0177.0.0.1',
      '0x7f.1',
      '0.0.0.0',
    ],
    ...[
      '10.0.0.1',
      '172.16.0.1',
      '192.168.0.1',
      '169.254.169.254',
      '100.64.0.1',
      '[fd00::1]',
      '[fe80::1]',
      'a.internal',
    ],
    ...['localtest.me.', 'localhost.'],
  ].map((host) => `http://${host}:${port}/`);

  expect(await fetchFromScript(platform().dataDir, [base, `${base}/redirect`])).toEqual(['200 inside', '200 inside']);
  expect(reached.splice(0)).toHaveLength(3);
  const answers = await fetchFromScript(guarded.dataDir, urls);
  expect(answers.filter((text) => !text.startsWith('refused'))).toEqual([]);
  expect(reached).toEqual([]);
});

test('a script can call the platform at its public URL, without forged headers', async () => {
  const [own, page] = await fetchFromScript(guarded.dataDir, [`${guarded.url}/v1/`, `${guarded.url}/nothing`]);
  expect([own, page]).toEqual([expect.stringMatching(/^200 /), expect.stringMatching(/^404 /)]);
});

test('requests from scripts of one publisher to the platform share a limit, whatever headers they send', async () => {
  const urls = Array.from({ length: 50 }, () => `${guarded.url}/v1/`);
  const others = await fetchFromScript(guarded.dataDir, urls.slice(0, 5), {}, 'before');
  const many = await fetchFromScript(guarded.dataDir, urls, { headers: { 'x-told': '198.51.100.7' } }, 'many');
  const again = await fetchFromScript(guarded.dataDir, urls.slice(0, 5), {}, 'after');

  expect(many.filter((text) => text.startsWith('429')).length).toBeGreaterThan(0);
  expect([...others, ...again].filter((text) => !text.startsWith('200'))).toEqual([]);
});

test('limits the requests of a run, and rejects WebSockets and endless bodies', async () => {
  let requestCount = 0;
  const base = await serveLocally((request, response) => {
    requestCount += 1;
    request.resume();
    response.on('error', () => undefined);
    if (request.url !== '/endless') return void response.end('x');
    const timer = setInterval(() => response.write(Buffer.alloc(1_000_000)), 1);
    response.on('close', () => clearInterval(timer));
  });
  const { dataDir } = platform();

  const many = await fetchFromScript(
    dataDir,
    Array.from({ length: 60 }, () => base),
  );
  expect(many.filter((text) => text === '200 x')).toHaveLength(50);
  expect(requestCount).toBe(50);
  expect(await fetchFromScript(dataDir, [base], { headers: { upgrade: 'websocket' } })).toEqual([
    expect.stringContaining('WebSocket'),
  ]);
  expect(await fetchFromScript(dataDir, [`${base}/endless`])).toEqual([expect.stringContaining('larger than')]);
  expect(await fetchFromScript(dataDir, [base], { method: 'POST', body: 'x'.repeat(5_000_001) })).toEqual([
    expect.stringContaining('larger than'),
  ]);
});

test('ten thousand concurrent requests are rejected beyond the limit of a run', async () => {
  let requestCount = 0;
  const base = await serveLocally((_, response) => {
    requestCount += 1;
    response.end('x');
  });
  const code = `const all = await Promise.allSettled(Array.from({ length: 10000 }, () => fetch(environment.base)));
    return new Response(String(all.filter(({ status }) => status === 'fulfilled').length));`;

  const outcome = await runOnHost(platform().dataDir, { script: getScript(code), environment: { base } });

  expect(outcome.ok ? outcome.text : outcome.fault).toBeOneOf(['50', 'timeout', 'memory']);
  expect(requestCount).toBeLessThanOrEqual(50);
});
