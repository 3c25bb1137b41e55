import { expect, test, vi } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getScript, runOnHost } from '../../support/script-host.ts';

const { dataDir } = platform();

/** A script that tries to read data of other installations and of the host. */
const look = `
const found = {};
const tried = async (name, work) => { try { found[name] = await work(); } catch (error) { found[name] = 'refused: ' + error.message; } };
await tried('globals', () => [globalThis.left, Array.prototype.left]);
await tried('env', () => [env, process.env]);
await tried('workers', async () => { const { env, exports } = await import('cloudflare:workers'); return [env, Object.keys(exports)]; });
await tried('caches', async () => { await caches.default.put('http://kept/', new Response('left')); return (await caches.default.match('http://kept/'))?.text(); });
await tried('files', async () => { const fs = await import('node:fs'); return ['/etc/passwd', '/proc/self/environ', '/proc/1/environ', '.'].map((file) => { try { return fs.readFileSync(file, 'utf8'); } catch { return ''; } }); });
await tried('folders', async () => { const fs = await import('node:fs'); return fs.readdirSync('/'); });
await tried('programs', async () => { const { execSync } = await import('node:child_process'); return String(execSync('id')); });
await tried('sockets', async () => { const { connect } = await import('cloudflare:sockets'); const socket = connect('127.0.0.1:' + new URL(environment.url).port); await socket.opened; return 'open'; });
await tried('node sockets', async () => { const net = await import('node:net'); return await new Promise((resolve, reject) => net.connect(Number(new URL(environment.url).port), '127.0.0.1', () => resolve('open')).on('error', reject)); });
await tried('unix sockets', async () => (await fetch('unix:' + environment.socket)).status);
await tried('code', () => new Function('return 1')());
await tried('threads', () => new Worker('data:text/javascript,1'));
globalThis.left = environment.mark; Array.prototype.left = environment.mark;
return Response.json(found);
`;

test('a script cannot access another installation, the platform or the host', async () => {
  const script = getScript(look);
  const { url } = platform();
  const environment = { mark: 'of the first', url, socket: `${dataDir}/scripts.sock` };

  const first = await runOnHost(dataDir, { script, tenant: 'one', isolate: 'first', environment });
  // A script finds data that it left itself, so this test would detect data that other scripts left. The platform may
  // drop an idle isolate between two runs, so repeat the run until it uses the same isolate.
  await vi.waitFor(async () => {
    const again = await runOnHost(dataDir, { script, tenant: 'one', isolate: 'first', environment });
    expect(JSON.parse(again.text)).toMatchObject({ globals: ['of the first', 'of the first'] });
  }, 10_000);
  const second = await runOnHost(dataDir, { script, tenant: 'one', isolate: 'second', environment });
  const other = await runOnHost(dataDir, { script, tenant: 'two', isolate: 'first', environment });

  for (const outcome of [first, second, other]) {
    expect(JSON.parse(outcome.text)).toEqual({
      globals: [null, null],
      env: [{}, {}],
      workers: [{}, ['default', 'Run']],
      caches: expect.stringContaining('refused'),
      files: expect.stringContaining('refused: A script cannot import node:fs.'),
      folders: expect.stringContaining('refused: A script cannot import node:fs.'),
      programs: expect.stringContaining('refused'),
      sockets: expect.stringContaining('refused'),
      'node sockets': expect.stringContaining('refused'),
      'unix sockets': expect.stringContaining('refused'),
      code: expect.stringContaining('refused'),
      threads: expect.stringContaining('refused'),
    });
  }
});

test('a script that imitates the protocol of a run can only change its own response', async () => {
  const forged = `return new Response(new Uint8Array([0, 0, 0, 2, 123, 125, 1, 2]), { headers: { 'octavo-script': 'x', 'content-length': '4' } });`;

  const outcome = await runOnHost(dataDir, { script: getScript(forged) });

  expect(outcome).toMatchObject({ ok: true, status: 200 });
  expect(outcome.ok && [...outcome.body]).toEqual([0, 0, 0, 2, 123, 125, 1, 2]);
});

test('a script that replaces the console and response of its isolate only affects itself', async () => {
  const hostile = getScript(
    `globalThis.Response = class {}; Promise.prototype.then = () => {}; console.log = 1; return new Response('taken');`,
  );

  const outcome = await runOnHost(dataDir, { script: hostile, tenant: 'taken', limits: { milliseconds: 2000 } });
  const next = await runOnHost(dataDir, { script: getScript(`return new Response('well');`), tenant: 'taken' });

  expect(outcome.ok).toBe(false);
  expect(next).toMatchObject({ ok: true, text: 'well' });
});
