import { beforeAll, describe, expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import { type OwnPlatform, startOwnPlatform } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { startBothRuntimes, type Ways } from './both-ways.ts';

let guarded: OwnPlatform;
let open: Ways;
let closed: Ways;
/** Runs scripts on a platform that can be called through its public URL, which resolves to a private address. */
let counted: Ways;

beforeAll(async () => {
  guarded = await startOwnPlatform({ addressHeader: 'x-real-ip', rateLimits: 'requests=20' });
  const { dataDir, url } = platform();
  open = await startBothRuntimes({ dataDir, publicUrl: url, allowsPrivate: true });
  closed = await startBothRuntimes({ dataDir: guarded.dataDir, publicUrl: guarded.url, allowsPrivate: false });
  counted = await startBothRuntimes({ dataDir: guarded.dataDir, publicUrl: guarded.url, allowsPrivate: true });
  return async () => {
    await Promise.all([open, closed, counted].map((ways) => ways.dispose()));
    await guarded.remove();
  };
});

const fetches = getScript(`
const answers = [];
for (const url of environment.urls) {
  try { const answer = await fetch(url, environment.init); answers.push(answer.status + ' ' + (await answer.text()).slice(0, 20)); }
  catch (error) { answers.push('refused: ' + error.message); }
}
return Response.json(answers);
`);

// Endless loops are left out: the local runtime does not enforce the loader's limits, so it would hang.
describe.each(['host', 'loader'] as const)('with the %s', (way) => {
  const run: Ways['host'] = (what) => open[way](what);

  test('passes event, environment, secrets and body to the script, and returns its response', async () => {
    const script = getScript(`const body = new Uint8Array(await form.get('fetch-body').arrayBuffer());
      return new Response(JSON.stringify({ event, environment, body: [...body], env, method: request.method, path: new URL(request.url).pathname }),
        { status: 202, headers: { 'x-own': 'yes', 'content-type': 'text/own' } });`);
    const fetchBody = Uint8Array.of(13, 10, 0, 255, 10);
    const environment = { secrets: { key: 'a secret' }, apiTokens: { integration: 'one' } };

    const outcome = await run({ script, event: { type: 'fetch', eventId: 'one' }, environment, fetchBody });

    expect(outcome).toMatchObject({ ok: true, status: 202 });
    expect(outcome.ok && outcome.headers).toEqual(
      expect.arrayContaining([
        ['x-own', 'yes'],
        ['content-type', 'text/own'],
      ]),
    );
    expect(JSON.parse(outcome.text)).toEqual({
      ...{ event: { type: 'fetch', eventId: 'one' }, environment, body: [...fetchBody], env: {} },
      ...{ method: 'POST', path: '/v1' },
    });
  });

  test('captures the console in order, also after the response', async () => {
    const script = getScript(`console.log('one', { two: 2 });
      context.waitUntil((async () => { await scheduler.wait(50); console.warn('late'); })()); return new Response();`);

    const { logs } = await run({ script });

    expect(logs).toMatchObject([
      { level: 'info', message: 'one {"two":2}' },
      { level: 'warn', message: 'late' },
    ]);
  });

  test.each([
    ['throws', getScript(`console.log('before'); throw new TypeError('broken');`), 'broken'],
    ['throws a value that is not an error', getScript('throw undefined;'), 'undefined'],
    ['returns something other than a response', getScript('return { status: 200 };'), 'did not return a Response'],
    [
      'has a rejected promise after its response',
      getScript(`context.waitUntil(Promise.reject(new Error('late'))); return new Response();`),
      'late',
    ],
    ['is not a valid script', 'export default {', 'SyntaxError'],
    ['exports no function', 'export default {};', 'fetch'],
    ['throws while loading', `throw new Error('at once'); export default {};`, 'at once'],
  ])('reports a script that %s', async (_, script, message) => {
    expect(await run({ script })).toMatchObject({
      ok: false,
      fault: 'exception',
      message: expect.stringContaining(message),
    });
  });

  test('data stored by a script is visible only to the same installation and version', async () => {
    const createVersionScript = (version: number) =>
      getScript(
        `const { left } = globalThis; globalThis.left = ${version}; return Response.json([${version}, left ?? null]);`,
      );
    const owner = `leaving-${way}`;
    const runVersion = async (version: number, installation: string) =>
      JSON.parse((await run({ script: createVersionScript(version), owner, installation })).text);

    expect(await runVersion(1, 'first')).toEqual([1, null]);
    expect(await runVersion(1, 'first')).toEqual([1, 1]);
    expect(await runVersion(1, 'second')).toEqual([1, null]);
    expect(await runVersion(2, 'first')).toEqual([2, null]);
  });

  test('runs in a warm isolate have separate environments and limits', async () => {
    const script = getScript(
      `await scheduler.wait(environment.wait); return new Response('x'.repeat(environment.size));`,
    );
    const owner = `limited-${way}`;
    const runWithLimits = (wait: number, size: number, limits = {}) =>
      run({ script, owner, environment: { wait, size }, limits });

    expect(await runWithLimits(0, 5000)).toMatchObject({ ok: true, text: 'x'.repeat(5000) });
    expect(await runWithLimits(0, 5000, { answerBytes: 4000 })).toMatchObject({ ok: false, fault: 'too_large' });
    expect(await runWithLimits(5000, 1, { milliseconds: 300 })).toMatchObject({ ok: false, fault: 'timeout' });
    expect(await runWithLimits(0, 3)).toMatchObject({ ok: true, text: 'xxx' });
  });

  test('reports oversized requests', async () => {
    const environment = { filling: 'x'.repeat(8_000_001) };

    expect(await run({ script: getScript('return new Response();'), environment })).toMatchObject({
      ok: false,
      fault: 'too_large',
    });
  });

  test('a script can reach public servers and the platform, but no private address', async () => {
    const reached: string[] = [];
    const base = await serveLocally(({ url, headers }, response) => {
      reached.push(`${headers.host} ${url}`);
      if (url === '/redirect') response.writeHead(302, { location: '/' });
      response.end('inside');
    });
    const { port } = new URL(base);
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '2130706433', '10.0.0.1', '169.254.169.254', 'a.internal'];
    const urls = [...hosts, 'localtest.me.', 'localhost.'].map((host) => `http://${host}:${port}/`);
    const fetchFromScript = async (ways: Ways, urls: string[]) =>
      JSON.parse((await ways[way]({ script: fetches, environment: { urls } })).text) as string[];

    expect(await fetchFromScript(open, [base, `${base}/redirect`])).toEqual(['200 inside', '200 inside']);
    expect(reached.splice(0)).toHaveLength(3);
    expect(await fetchFromScript(closed, urls)).toEqual(urls.map(() => expect.stringMatching(/^refused: /)));
    expect(reached).toEqual([]);
  });

  test('a script opens no WebSocket or socket', async () => {
    const init = { headers: { upgrade: 'websocket' } };
    const outcome = await run({ script: fetches, environment: { urls: [platform().url], init } });
    const script = getScript(`const { connect } = await import('cloudflare:sockets');
      const socket = connect('127.0.0.1:' + environment.port); await socket.opened; return new Response('open');`);
    const connected = await run({ script, environment: { port: new URL(platform().url).port } });

    expect(JSON.parse(outcome.text)).toEqual([expect.stringContaining('WebSocket')]);
    expect(connected.ok).toBe(false);
  });
});

test('requests from scripts of one publisher to the platform share a limit', async () => {
  const urls = Array.from({ length: 30 }, () => `${guarded.url}/v1/`);
  const init = { headers: { 'x-real-ip': '198.51.100.7', 'cf-connecting-ip': '198.51.100.8' } };
  const fetchThrough = async (way: 'host' | 'loader', owner: string, count: number) =>
    JSON.parse(
      (await counted[way]({ script: fetches, owner, environment: { urls: urls.slice(0, count), init } })).text,
    ) as string[];
  const getRefused = (answers: string[]) => answers.filter((text) => text.startsWith('429')).length;

  const [first, second] = [await fetchThrough('host', 'counted', 18), await fetchThrough('loader', 'counted', 18)];
  const other = await fetchThrough('loader', 'other', 15);

  expect(getRefused(second)).toBeGreaterThan(0);
  expect([...first, ...second].filter((text) => !/^(200|429) /.test(text))).toEqual([]);
  expect(other.filter((text) => !text.startsWith('200'))).toEqual([]);
});
