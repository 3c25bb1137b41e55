import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { runsOnlyOnMachine, startPlatform } from '@octavo/platform';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { pickFreePort } from '../support/free-port.ts';
import { createServerClient } from '../support/platform.ts';
import { getShare } from '../support/random.ts';
import { buildRelease, getPreviousRelease } from '../support/releases.ts';
import { createMixedWorld, type MixedWorld, readMixedWorld } from './mixed-world.ts';

interface BuiltWorker {
  name: string;
  build?: string;
  bundle: string;
  wasm: string[];
}

interface Manifest {
  workers: BuiltWorker[];
}

const readManifest = async (build: string): Promise<Manifest> =>
  JSON.parse(await readFile(path.join(build, 'manifest.json'), 'utf8')) as Manifest;

/** The workers of the previous release that are deployed to Cloudflare. */
const workers = ['collaboration', 'content', 'gateway', 'integrations', 'org-admin', 'publishing'];
const getOtherWorkers = (worker: string) => workers.filter((each) => each !== worker);

/** The folder with the sources of the previous release. */
let release: string;
let previous: string;
let outDir: string;
let dataDir: string;
let port: number;
const launcher = process.env.MINIFLARE_WORKERD_PATH;

/** Building the previous release takes 20 seconds of CPU time. */
beforeAll(async () => {
  const build = path.join(inject('root'), 'build');
  release = await buildRelease(getPreviousRelease());
  previous = path.join(release, 'build');
  outDir = await mkdtemp(path.join(tmpdir(), 'octavo-mixed-'));
  dataDir = await mkdtemp(path.join(tmpdir(), 'octavo-mixed-data-'));
  port = await pickFreePort();
  for (const name of await readdir(build))
    if (name !== 'manifest.json') await symlink(path.join(build, name), path.join(outDir, name));
  await symlink(previous, path.join(outDir, 'previous'));
}, 300_000);

afterAll(async () => {
  if (launcher === undefined) delete process.env.MINIFLARE_WORKERD_PATH;
  else process.env.MINIFLARE_WORKERD_PATH = launcher;
  for (const folder of [outDir, dataDir]) await rm(folder, { recursive: true, force: true });
});

/** Replaces workers of the current build by those of the previous release. The schema stays the current one. */
async function writeManifest(replaced: string[]): Promise<void> {
  const current = await readManifest(path.join(inject('root'), 'build'));
  const former = await readManifest(previous);
  const replace = (worker: BuiltWorker): BuiltWorker => {
    if (!replaced.includes(worker.name)) return worker;
    const formerWorker = former.workers.find(({ name }) => name === worker.name);
    if (formerWorker === undefined) throw new Error(`The previous release has no worker ${worker.name}.`);
    const toPath = (file: string) => path.join('previous', file);
    return {
      build: 'previous',
      ...formerWorker,
      bundle: toPath(formerWorker.bundle),
      wasm: formerWorker.wasm.map(toPath),
    };
  };
  const mixed = { ...current, workers: current.workers.map(replace) };
  await writeFile(path.join(outDir, 'manifest.json'), JSON.stringify(mixed));
}

/** Runs a platform in which these workers are of the previous release. All platforms use the same data. */
async function usePreviousRelease(
  replaced: string[],
  use: (server: ReturnType<typeof createServerClient>) => Promise<void>,
) {
  await writeManifest(replaced);
  const testKey = process.env.OCTAVO_TEST_KEY;
  const vars = { OCTAVO_IMPORT_ALLOW_PRIVATE: '1', OCTAVO_RATE_LIMITS: 'off' };
  const started = await startPlatform({ root: inject('root'), outDir, dataDir, port, vars, testKey, shape: 'workers' });
  try {
    await use(createServerClient(started.url, dataDir));
  } finally {
    await started.stop();
  }
}

const written: MixedWorld[] = [];

const cases = [
  { name: 'all workers', replaced: workers },
  ...getShare(workers, 2).flatMap((worker) => [
    { name: `only ${worker}`, replaced: [worker] },
    { name: `all workers but ${worker}`, replaced: getOtherWorkers(worker) },
  ]),
  { name: 'no worker', replaced: [] },
];

describe('workers of the previous release on the current schema', () => {
  test.each(cases)('$name: reads what the last two combinations wrote, and writes', async ({ replaced }) => {
    await usePreviousRelease(replaced, async (server) => {
      for (const world of written.slice(-2)) await readMixedWorld(server, world);
      const world = await createMixedWorld(server);
      written.push(world);
      expect((await fetch(`${world.site}/walrus`)).headers.get('etag')).not.toBeNull();
    });
  });

  test('all workers, after a rollback: reads what all combinations wrote, and writes', async () => {
    await usePreviousRelease(workers, async (server) => {
      expect(written).toHaveLength(cases.length);
      for (const world of written) await readMixedWorld(server, world);
      await createMixedWorld(server);
    });
  });
});

/** Returns the methods of the services in a tree of sources, which other workers call by RPC. */
async function readServiceMethods(root: string): Promise<string[]> {
  const folder = path.join(root, 'packages/schema/src');
  const files = (await readdir(folder, { recursive: true })).filter((file) => path.basename(file) === 'service.ts');
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return texts.flatMap((text) =>
    [...text.matchAll(/^export interface (\w+Service) \{\n([\s\S]*?)^\}/gm)].flatMap(([, name, body = '']) =>
      [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, method]) => `${name}.${method}`),
    ),
  );
}

type MessageSchemas = Record<string, { shape: Record<string, { safeParse(value: unknown): { success: boolean } }> }>;

/** Returns the required fields of each type of event and job in a tree of sources. */
async function readRequiredFields(root: string): Promise<Record<string, string[]>> {
  const load = (file: string) => import(pathToFileURL(path.join(root, 'packages/schema/src', file)).href);
  const { eventData } = (await load('events.ts')) as { eventData: MessageSchemas };
  const { jobData } = (await load('jobs.ts')) as { jobData: MessageSchemas };
  const all = Object.entries({ ...eventData, ...jobData });
  return Object.fromEntries(
    all.map(([type, { shape }]) => {
      const required = Object.entries(shape).filter(([, field]) => !field.safeParse(undefined).success);
      return [type, required.map(([name]) => name).toSorted()];
    }),
  );
}

test('fails with the command that fetches the history if the release is not in it', async () => {
  const unknown = buildRelease({ version: '0.0.1', commit: '0'.repeat(40) });

  await expect(unknown).rejects.toThrow('run: git fetch --unshallow');
});

describe('compared with the previous release', () => {
  test('every worker of the previous release is in one of the combinations above', async () => {
    const former = await readManifest(previous);
    // In release 0.1.0, the operator worker runs on one machine only.
    const isDeployed = ({ name }: BuiltWorker) => !runsOnlyOnMachine(name) && name !== 'operator';

    expect(
      former.workers
        .filter(isDeployed)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(workers);
  });

  test('services have all former methods', async () => {
    const former = await readServiceMethods(release);

    expect(former).toContain('ContentService.readTargets');
    expect(await readServiceMethods(inject('root'))).toEqual(expect.arrayContaining(former));
  });

  test('events and jobs have all former types, with the same required fields', async () => {
    const former = await readRequiredFields(release);

    expect(former).toMatchObject({ render_pdf: ['pdf'] });
    expect(await readRequiredFields(inject('root'))).toMatchObject(former);
  });
});
