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

const text = (value) => {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return value.stack ?? String(value);
  try { return JSON.stringify(value) ?? String(value); } catch { return String(value); }
};

const writer = (level) => (...values) => {
  const run = running.getStore() ?? last;
  if (run === undefined || run.lines >= ${logLimits.lines} || run.characters >= ${logLimits.characters}) return;
  const message = values.map(text).join(' ').slice(0, ${logLimits.characters} - run.characters);
  run.lines += 1;
  run.characters += message.length;
  run.sent.push(run.log(level, message));
};

const nothing = () => undefined;
const levels = { debug: 'debug', trace: 'debug', log: 'info', info: 'info', dir: 'info', table: 'info', warn: 'warn', error: 'error' };
for (const name of Object.keys(console)) if (typeof console[name] === 'function') console[name] = nothing;
for (const [name, level] of Object.entries(levels)) console[name] = writer(level);
`;

const runModule = `
import { WorkerEntrypoint } from 'cloudflare:workers';
import { begin, running } from 'octavo-console.js';
import script from 'script.js';

export class Run extends WorkerEntrypoint {
  async run(request, log) {
    const run = { lines: 0, characters: 0, log: log.dup(), sent: [] };
    const promised = [];
    const told = () => Promise.allSettled(run.sent);
    const context = {
      waitUntil: (promise) => { promised.push(Promise.resolve(promise)); },
      passThroughOnException: () => undefined,
    };
    begin(run);
    const response = await running.run(run, async () => {
      if (typeof script?.fetch !== 'function') throw new TypeError('The default export of the script has no function "fetch".');
      return script.fetch(request, {}, context);
    }).catch(async (error) => { await told(); throw error; });
    if (!(response instanceof Response)) throw new TypeError('The script answered with what is no Response.');
    const finish = async () => {
      for (let done = 0; done < promised.length; ) {
        const waiting = promised.slice(done);
        done = promised.length;
        const failed = (await Promise.allSettled(waiting)).find(({ status }) => status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      }
      await told();
    };
    return { response, finish };
  }
}

export default {};
`;

/** The modules of an isolate: the script and its runner. */
export const createScriptModules = (script: string): Record<string, string> => ({
  'octavo-run.js': runModule,
  'octavo-console.js': consoleModule,
  'script.js': script,
});

/** The main module of the isolate and its entrypoint. */
export const mainModule = 'octavo-run.js';
export const entrypoint = 'Run';
