/** Limits of the stored console messages. */
export const logLimits = { lines: 100, characters: 16_384 };

/**
 * A module that replaces the console and runs before the script. It sends messages to the host immediately, so that the
 * messages of a run that never ends are known too.
 */
const consoleModule = `
import { AsyncLocalStorage } from 'node:async_hooks';

export const running = new AsyncLocalStorage();

let last;
export const begin = (run) => { last = run; };

const toText = (value) => {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return value.stack ?? String(value);
  try { return JSON.stringify(value) ?? String(value); } catch { return String(value); }
};

const createLogFunction = (level) => (...values) => {
  const run = running.getStore() ?? last;
  if (run === undefined || run.lines >= ${logLimits.lines} || run.characters >= ${logLimits.characters}) return;
  const message = values.map(toText).join(' ').slice(0, ${logLimits.characters} - run.characters);
  run.lines += 1;
  run.characters += message.length;
  run.sent.push(run.log(level, message));
};

const ignore = () => undefined;
const levels = { debug: 'debug', trace: 'debug', log: 'info', info: 'info', dir: 'info', table: 'info', warn: 'warn', error: 'error' };
for (const name of Object.keys(console)) if (typeof console[name] === 'function') console[name] = ignore;
for (const [name, level] of Object.entries(levels)) console[name] = createLogFunction(level);

for (const way of ['getBuiltinModule', 'binding', '_linkedBinding', 'dlopen'])
  process[way] = (name) => { throw new Error('A script cannot load the module ' + name + ' by process.' + way + '. Import it.'); };
`;

const runModule = `
import { WorkerEntrypoint } from 'cloudflare:workers';
import { begin, running } from 'octavo-console.js';
import script from 'script.js';

export class Run extends WorkerEntrypoint {
  async run(request, log) {
    const run = { lines: 0, characters: 0, log: log.dup(), sent: [] };
    const promises = [];
    const waitForMessages = () => Promise.allSettled(run.sent);
    const context = {
      waitUntil: (promise) => { promises.push(Promise.resolve(promise)); },
      passThroughOnException: () => undefined,
    };
    begin(run);
    const response = await running.run(run, async () => {
      if (typeof script?.fetch !== 'function') throw new TypeError('The default export of the script has no function "fetch".');
      return script.fetch(request, {}, context);
    }).catch(async (error) => { await waitForMessages(); throw error; });
    if (!(response instanceof Response)) throw new TypeError('The function "fetch" of the script did not return a Response.');
    const finish = async () => {
      for (let done = 0; done < promises.length; ) {
        const waiting = promises.slice(done);
        done = promises.length;
        const failed = (await Promise.allSettled(waiting)).find(({ status }) => status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      }
      await waitForMessages();
    };
    return { response, finish };
  }
}

export default {};
`;

/** The modules of Node.js and of Cloudflare that the runtime may have. */
const runtimeModules = [
  ...[
    ...['_http_agent', '_http_client', '_http_common', '_http_incoming', '_http_outgoing', '_http_server'],
    ...['_stream_duplex', '_stream_passthrough', '_stream_readable', '_stream_transform', '_stream_wrap'],
    ...['_stream_writable', '_tls_common', '_tls_wrap', 'assert', 'assert/strict', 'async_hooks', 'buffer'],
    ...['child_process', 'cluster', 'console', 'constants', 'crypto', 'dgram', 'diagnostics_channel', 'dns'],
    ...['dns/promises', 'domain', 'events', 'ffi', 'fs', 'fs/promises', 'http', 'http2', 'https', 'inspector'],
    ...['inspector/promises', 'module', 'net', 'os', 'path', 'path/posix', 'path/win32', 'perf_hooks', 'process'],
    ...['punycode', 'querystring', 'quic', 'readline', 'readline/promises', 'repl', 'sea', 'sqlite', 'stream'],
    ...['stream/consumers', 'stream/promises', 'stream/web', 'string_decoder', 'sys', 'test', 'test/reporters'],
    ...['timers', 'timers/promises', 'tls', 'trace_events', 'tty', 'url', 'util', 'util/types', 'v8', 'vm', 'wasi'],
    ...['worker_threads', 'zlib'],
  ].map((name) => `node:${name}`),
  ...['ai', 'br', 'email', 'pipelines', 'sockets', 'vectorize', 'workers', 'workflows'].map(
    (name) => `cloudflare:${name}`,
  ),
];

/** The modules that a script can import. They only compute, and have no access to files, sockets or processes. */
const allowedModules = [
  ...[
    ...['assert', 'assert/strict', 'async_hooks', 'buffer', 'constants', 'crypto', 'diagnostics_channel', 'events'],
    ...['path', 'path/posix', 'path/win32', 'process', 'punycode', 'querystring', 'stream', 'stream/consumers'],
    ...['stream/promises', 'stream/web', 'string_decoder', 'sys', 'timers', 'timers/promises', 'url', 'util'],
    ...['util/types', 'zlib'],
  ].map((name) => `node:${name}`),
  'cloudflare:workers',
];

const createRefusal = (name: string) => ({
  js: `throw new Error('A script cannot import ${name}. It has no files, sockets or processes; use fetch for the network.');`,
});

/** The modules of an isolate: the script, its runner, and replacements for the modules that a script cannot import. */
export const createScriptModules = (script: string): Record<string, string | { js: string }> => ({
  ...Object.fromEntries(
    runtimeModules.filter((name) => !allowedModules.includes(name)).map((name) => [name, createRefusal(name)]),
  ),
  'octavo-run.js': runModule,
  'octavo-console.js': consoleModule,
  'script.js': script,
});

/**
 * Removes modules from the runtime, because `getBuiltinModule` of `node:process` ignores the modules of an isolate.
 * There are no flags to remove `node:net`, `node:tls` and `node:dns`, but these modules cannot connect to anything,
 * because `fetch` is the script's only access to the network.
 */
export const compatibilityFlags = [
  'nodejs_compat',
  ...[
    ...['child_process', 'cluster', 'console', 'dgram', 'domain', 'fs', 'http2', 'inspector', 'os', 'perf_hooks'],
    ...['readline', 'repl', 'sqlite', 'trace_events', 'tty', 'v8', 'vm', 'wasi', 'worker_threads'],
  ].map((name) => `disable_nodejs_${name}_module`),
  ...['disable_nodejs_http_modules', 'disable_nodejs_http_server_modules'],
];

/** The name of the main module of the isolate, and of its entrypoint. */
export const mainModule = 'octavo-run.js';
export const entrypoint = 'Run';
