import { describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getScript, type HostRun, runOnHost } from '../../support/script-host.ts';

const { dataDir } = platform();
const run = (code: string, options: Partial<HostRun> = {}) =>
  runOnHost(dataDir, { script: getScript(code), ...options });

test('passes the request to a script, and returns its status, headers and body', async () => {
  const code = `return new Response(event.type + ' ' + environment.secrets.a + ' ' + request.method + ' ' + new URL(request.url).pathname,
    { status: 202, headers: { 'x-own': 'yes' } });`;

  const outcome = await run(code, { event: { type: 'task' }, environment: { secrets: { a: 'b' } } });

  expect(outcome).toMatchObject({ ok: true, status: 202, text: 'task b POST /v1' });
  expect(outcome.ok && outcome.headers).toContainEqual(['x-own', 'yes']);
});

test('captures the console in order, up to a limit', async () => {
  const outcome = await run(
    `console.log('one', { two: 2 }); console.error(new Error('three')); return new Response();`,
  );
  expect(outcome.logs).toMatchObject([
    { level: 'info', message: 'one {"two":2}' },
    { level: 'error', message: expect.stringContaining('Error: three') },
  ]);

  const endless = await run(`for (let i = 0; i < 100000; i += 1) console.log('x'.repeat(300)); return new Response();`);
  expect(endless.ok).toBe(true);
  expect(endless.logs.length).toBeLessThanOrEqual(100);
  expect(JSON.stringify(endless.logs).length).toBeLessThan(32_000);
});

test('captures the console of a run that was killed', async () => {
  const loops = await run(`console.log('before'); await scheduler.wait(100); console.log('lost'); for (;;);`);
  expect(loops).toMatchObject({ ok: false, fault: 'timeout', logs: [{ level: 'info', message: 'before' }] });
});

test('runs more scripts concurrently than it can cache', async () => {
  const filling = `// ${'x'.repeat(4_000_000)}`;
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, each) =>
      runOnHost(dataDir, { script: getScript(`return new Response('${each}');`, filling), tenant: 'texts' }),
    ),
  );
  expect(outcomes.map(({ text }) => text)).toEqual(Array.from({ length: 10 }, (_, each) => String(each)));
});

test('reports an oversized request or script, and does not retry it', async () => {
  const form = await run(`return new Response();`, { environment: { filling: 'x'.repeat(8_000_001) } });
  const text = await run(`return new Response();// ${'x'.repeat(5 * 1024 * 1024)}`);

  for (const outcome of [form, text]) expect(outcome).toMatchObject({ ok: false, fault: 'too_large' });
});

test('a run lasts until its waitUntil promises are settled', async () => {
  const code = `context.waitUntil((async () => { await scheduler.wait(50); console.log('late'); })()); return new Response('now');`;

  const outcome = await run(code);

  expect(outcome).toMatchObject({ ok: true, text: 'now', logs: [{ message: 'late' }] });
});

describe('an invalid response is reported as an error of the script', () => {
  test.each([
    ['throws', `throw new TypeError('broken');`, 'broken'],
    ['throws a value that is not an error', `throw undefined;`, 'undefined'],
    ['returns nothing', '', 'did not return a Response'],
    ['returns garbage', `return { status: 200 };`, 'did not return a Response'],
    [
      'rejects a waitUntil promise',
      `context.waitUntil(Promise.reject(new Error('late'))); return new Response();`,
      'late',
    ],
  ])('%s', async (_, code, message) => {
    expect(await run(code)).toMatchObject({ ok: false, fault: 'exception', message: expect.stringContaining(message) });
  });

  test.each([
    ['a syntax error', 'export default {', 'SyntaxError'],
    ['no default export', 'export const x = 1;', ''],
    ['no fetch function', 'export default {};', 'fetch'],
    ['an error while loading', `throw new Error('at once'); export default {};`, 'at once'],
  ])('%s', async (_, script, message) => {
    const outcome = await runOnHost(dataDir, { script });
    expect(outcome).toMatchObject({ ok: false, fault: 'exception', message: expect.stringContaining(message) });
  });
});
