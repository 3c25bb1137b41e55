import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Latencies of a worker's calls, in milliseconds. */
interface Latencies {
  /** A round trip to the primary database. */
  primary: number;
  /** A round trip to the nearest replica. */
  replica: number;
  /** A call to another worker. */
  worker: number;
}

/** The gateway runs near the client. All other workers run near the database. */
const atEdge: Latencies = { primary: 205, replica: 10, worker: 200 };
const nearDatabase: Latencies = { primary: 5, replica: 5, worker: 0 };

/** Source text that is added to bundles: `delayCalls` returns the environment of a worker with slow bindings. */
const library = `
const sleepFor = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const delayStatement = (inner, ms) => ({
  inner,
  bind: (...values) => delayStatement(inner.bind(...values), ms),
  all: async () => { await sleepFor(ms); return inner.all(); },
});
const delayDatabase = (source, { primary, replica }, ms = primary) => ({
  prepare: (sql) => delayStatement(source.prepare(sql), ms),
  batch: async (statements) => { await sleepFor(ms); return source.batch(statements.map(({ inner }) => inner)); },
  withSession(start) {
    const session = source.withSession(start);
    const delayed = delayDatabase(session, { primary, replica }, start === 'first-primary' ? primary : replica);
    return { ...delayed, getBookmark: () => session.getBookmark() };
  },
});
const delayService = (service, ms) => new Proxy(service, {
  get: (target, name) => async (...values) => { await sleepFor(ms); return target[name](...values); },
});
const delayCalls = (env, latencies, services) => ({
  ...env,
  ...(env.DB && { DB: delayDatabase(env.DB, latencies) }),
  ...(latencies.worker > 0 && Object.fromEntries(services.map((name) => [name, delayService(env[name], latencies.worker)]))),
});
const delayWorker = (worker, delay) => typeof worker === 'function'
  ? class extends worker { constructor(context, env) { super(context, delay(env)); } }
  : Object.fromEntries(Object.entries(worker).map(([name, handle]) =>
      [name, (event, env, context) => handle.call(worker, event, delay(env), context)]));
`;

/** Adds latencies to the calls of a bundled worker. `services` are its bindings of other workers. */
function addLatencies(bundle: string, name: string, services: string[]): string {
  const start = bundle.lastIndexOf('export{');
  const end = bundle.indexOf('}', start);
  const exported = bundle.slice(start + 'export{'.length, end).split(',');
  const latencies = JSON.stringify(name === 'gateway' ? atEdge : nearDatabase);
  const delayed = exported.map((each, index) => {
    const [local, as = local] = each.trim().split(' as ');
    return { declaration: `const delayed${index} = delayWorker(${local}, delay);`, entry: `delayed${index} as ${as}` };
  });
  return `${bundle.slice(0, start)}
${library}
const delay = (env) => delayCalls(env, ${latencies}, ${JSON.stringify(services)});
${delayed.map(({ declaration }) => declaration).join('\n')}
export { ${delayed.map(({ entry }) => entry).join(', ')} };
${bundle.slice(end + 1)}`;
}

interface BuiltWorker {
  name: string;
  bundle: string;
  wasm: string[];
  options: { d1Databases?: object; serviceBindings?: Record<string, object> };
}

/** Copies a build to a folder, with latencies in all workers that have a database. Returns the folder. */
export async function copyWithLatencies(outDir: string, folder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(path.join(outDir, 'manifest.json'), 'utf8')) as { workers: BuiltWorker[] };
  const workers = manifest.workers.filter(
    ({ name, options }) => name !== 'operator' && 'DB' in (options.d1Databases ?? {}),
  );
  const changed = new Set(workers.map(({ name }) => name));
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(outDir))
    if (!changed.has(entry)) await symlink(path.join(outDir, entry), path.join(folder, entry));
  for (const { name, bundle, wasm, options } of workers) {
    await mkdir(path.join(folder, name));
    const services = Object.keys(options.serviceBindings ?? {}).filter((binding) => binding !== 'ASSETS');
    const source = await readFile(path.join(outDir, bundle), 'utf8');
    await writeFile(path.join(folder, bundle), addLatencies(source, name, services));
    for (const file of wasm) await copyFile(path.join(outDir, file), path.join(folder, file));
  }
  return folder;
}
