import { builtinModules } from 'node:module';
import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getScript, runOnHost } from '../../support/script-host.ts';

const run = (code: string, imports?: string) => runOnHost(platform().dataDir, { script: getScript(code, imports) });

/** The modules of the runtime that a script may import. */
const allowed = [
  ...['assert', 'assert/strict', 'async_hooks', 'buffer', 'constants', 'crypto', 'diagnostics_channel', 'events'],
  ...['path', 'path/posix', 'path/win32', 'process', 'punycode', 'querystring', 'stream', 'stream/consumers'],
  ...['stream/promises', 'stream/web', 'string_decoder', 'sys', 'timers', 'timers/promises', 'url', 'util'],
  ...['util/types', 'zlib'],
];
const ofCloudflare = ['ai', 'br', 'email', 'pipelines', 'sockets', 'test', 'vectorize', 'workers', 'workflows'];
const names = [
  ...builtinModules,
  ...builtinModules.map((name) => `node:${name.replace('node:', '')}`),
  ...[...ofCloudflare.map((name) => `cloudflare:${name}`), 'workerd:unsafe', 'node-internal:process'],
];

test('a script can import only modules without access to the system, however the module name is written', async () => {
  const code = `const got = [];
    for (const name of ${JSON.stringify(names)}) try { await import(name); got.push(name); } catch {}
    return Response.json(got);`;

  expect(JSON.parse((await run(code)).text)).toEqual([
    ...allowed,
    ...allowed.map((name) => `node:${name}`),
    'cloudflare:workers',
  ]);
});

test.each(['node:fs', 'node:net', 'node:child_process', 'cloudflare:sockets'])(
  'the error names the module %s if a script imports it',
  async (name) => {
    const refusal = { ok: false, fault: 'exception', text: expect.stringContaining(`A script cannot import ${name}.`) };

    expect(await run('return new Response();', `import * as it from '${name}';`)).toMatchObject(refusal);
    expect(await run(`const it = await import('${name}'); return new Response();`)).toMatchObject(refusal);
  },
);

test.each([
  `process.getBuiltinModule('fs')`,
  `(await import('node:process')).default.getBuiltinModule('node:fs')`,
  `Object.getPrototypeOf(process).getBuiltinModule('node:fs')`,
  `(delete process.getBuiltinModule, process.getBuiltinModule('node:fs'))`,
  `process.binding('fs')`,
  `(await import('node:module')).createRequire('/x.js')('node:fs')`,
  `require('node:fs')`,
])('a script cannot load a module by %s', async (code) => {
  expect(await run(`const it = ${code}; return new Response('loaded');`)).toMatchObject({ ok: false });
});

test('a script can import the allowed modules', async () => {
  const code = `return Response.json([Buffer.from('a').toString('hex'), createHash('sha256').update('a').digest('hex').length, typeof env.PATH, join('a', 'b')]);`;
  const imports = `import { Buffer } from 'node:buffer';\nimport { createHash } from 'node:crypto';\nimport { join } from 'path';`;

  expect(JSON.parse((await run(code, imports)).text)).toEqual(['61', 64, 'undefined', 'a/b']);
});

test('a script cannot access files, processes or sockets through node:process', async () => {
  const code = `const { getBuiltinModule } = await import('node:process');
    const found = ${JSON.stringify(['fs', 'child_process', 'http', 'os', 'vm', 'worker_threads'])}.filter(getBuiltinModule);
    const socket = getBuiltinModule('net').connect(80, '127.0.0.1');
    const connected = await new Promise((resolve) => {
      socket.on('connect', () => resolve('connected')).on('error', () => resolve('refused'));
    });
    return Response.json({ found, connected, version: typeof process.version });`;

  expect(JSON.parse((await run(code)).text)).toEqual({ found: [], connected: 'refused', version: 'string' });
});
