import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { onTestFinished } from 'vitest';
import { outDir } from '../../scripts/settings.ts';
import type { FakeCloudflare } from './fake-cloudflare.ts';
import type { Script, Version } from './fake-workers.ts';

type Options = Extract<Parameters<typeof convertV4MiniflareOptions>[0], { workers: unknown }>['workers'][number];
type Binding = Record<string, string>;

/** Returns the bindings of a type as an object by their names. */
const collect = <Value>(bindings: Binding[], type: string, convert: (binding: Binding) => Value) =>
  Object.fromEntries(
    bindings.filter((each) => each.type === type).map((each) => [String(each.name), convert(each)] as const),
  );

/** Reads the modules of a worker from the build. The program that replaces wrangler in tests does not upload them. */
function readBuiltModules({ name }: Script): Version['modules'] {
  const folder = path.join(outDir, name.replace(/^octavo-/, ''));
  const names = ['worker.js', ...readdirSync(folder).filter((each) => each.endsWith('.wasm'))];
  return new Map(names.map((each) => [each, new Uint8Array(readFileSync(path.join(folder, each)))]));
}

function toModules(modules: Version['modules']): Options['modules'] {
  const isCode = (name: string) => name.endsWith('.js');
  return [...modules]
    .filter(([name]) => isCode(name) || name.endsWith('.wasm'))
    .map(([name, contents]) => ({
      type: isCode(name) ? ('ESModule' as const) : ('CompiledWasm' as const),
      path: name,
      contents: isCode(name) ? new TextDecoder().decode(contents) : contents,
    }));
}

function getConsumers(fake: FakeCloudflare, { name }: Script, maxRetries: number | undefined) {
  const own = [...fake.queues.values()].flatMap(({ queue_name: queue, consumers }) =>
    consumers.filter(({ script }) => script === name).map((consumer) => [queue, consumer] as const),
  );
  return Object.fromEntries(
    own.map(([queue, { dead_letter_queue: deadLetterQueue }]) => [
      queue,
      { maxBatchTimeout: 0, deadLetterQueue, ...(maxRetries === undefined ? {} : { maxRetries }) },
    ]),
  );
}

/** The fake receives only a few of the static files, so they are read from the build. */
const getAssetsFolder = ({ name }: Script) => path.join(outDir, name.endsWith('-gateway') ? 'assets' : 'files');

interface RunOptions {
  /** Whether the modules are those of the build. By default, they are those that wrangler has uploaded. */
  isBuilt?: boolean;
  /** The number of retries of all queues. */
  maxRetries?: number;
}

function createOptions(fake: FakeCloudflare, script: Script, { isBuilt = false, maxRetries }: RunOptions): Options {
  const version = fake.getServingVersion(script);
  const bindings = version.bindings as Binding[];
  const { compatibility_date, compatibility_flags } = version.metadata as {
    compatibility_date: string;
    compatibility_flags: string[];
  };
  const getText = ({ text = '' }: Binding) => text;
  return {
    name: script.name,
    modules: toModules(isBuilt ? readBuiltModules(script) : version.modules),
    modulesRoot: '/',
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    bindings: { ...collect(bindings, 'plain_text', getText), ...collect(bindings, 'secret_text', getText) },
    d1Databases: collect(bindings, 'd1', ({ id = '' }) => id),
    r2Buckets: collect(bindings, 'r2_bucket', ({ bucket_name: name = '' }) => name),
    queueProducers: collect(bindings, 'queue', ({ queue_name: name = '' }) => name),
    queueConsumers: getConsumers(fake, script, maxRetries),
    durableObjects: collect(bindings, 'durable_object_namespace', ({ class_name: className = '' }) => ({
      className,
      useSQLite: true,
    })),
    workerLoaders: collect(bindings, 'worker_loader', () => ({})),
    serviceBindings: {
      ...collect(bindings, 'service', ({ service = '', entrypoint }) => ({
        name: service,
        ...(entrypoint === undefined ? {} : { entrypoint }),
      })),
      ...collect(bindings, 'assets', () => ({ disk: { path: getAssetsFolder(script), writable: false } })),
    },
    email: { send_email: bindings.filter(({ type }) => type === 'send_email').map(({ name }) => ({ name })) },
  } as Options;
}

/** Runs the workers that an account has, with the contents of its database, and returns a function that calls them. */
export async function runUploaded(fake: FakeCloudflare, gateway: string, options: RunOptions = {}) {
  const scripts = [...fake.scripts.values()].toSorted(({ name }) => (name === gateway ? -1 : 1));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      unsafeLocalExplorer: false,
      workers: scripts.map((script) => createOptions(fake, script, options)),
    }),
  );
  onTestFinished(() => miniflare.dispose());
  const database = await miniflare.getD1Database('DB', gateway);
  for (const { written } of fake.databases.values()) for (const sql of written) await database.prepare(sql).run();
  return miniflare;
}
