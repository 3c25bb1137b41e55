import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createWiring, SCRIPTS } from './machine-config.ts';
import { type BuiltWorker, type Manifest, readManifest, splitWorkers } from './manifest.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const built = await readManifest(path.join(root, 'build'));
if (built === undefined) throw new Error('Nothing is built.');
const { manifest } = splitWorkers(built);

const createTestWiring = (manifest: Manifest) =>
  createWiring({ manifest, vars: { ADDED: 'a' }, operatorKey: 'key', isPrompt: false, sendsMail: false });

/**
 * Returns the names of the bindings in a worker's configuration. Rate limits are skipped, because one machine counts
 * them itself.
 */
function listBindings(worker: string): string[] {
  const file = worker === 'gateway' ? 'wrangler.toml' : `workers/${worker}/wrangler.toml`;
  const sections = readFileSync(path.join(root, file), 'utf8').split(/^(?=\[)/m);
  const bound = sections.filter(
    (section) => section.startsWith('[') && !/^\[(\[(ratelimits|migrations|worker_loaders)|limits)/.test(section),
  );
  const names = bound.flatMap((section) => /^(?:binding|name) = "([^"]+)"$/m.exec(section)?.[1] ?? []);
  const vars = sections.filter((section) => section.startsWith('[vars]')).join('');
  // The local runtime does not enforce limits on isolates, so the script host of the platform replaces the loader.
  const loads = sections.some((section) => section.startsWith('[[worker_loaders]]'));
  return [...(loads ? [SCRIPTS] : []), ...names, ...[...vars.matchAll(/^(\w+) = /gm)].map(([, name = '']) => name)];
}

test.each(manifest.workers.map(({ name }) => name))('the machine provides every binding of the worker %s', (name) => {
  const { vars, databases, queues, services, objects, machineBindings } =
    createTestWiring(manifest)[name] ?? expect.fail('It is not wired.');
  const names = [
    ...[vars, queues, services, objects, machineBindings].flatMap((each) => Object.keys(each)),
    ...databases,
  ];

  expect(listBindings(name)).not.toEqual([]);
  expect(names).toEqual(expect.arrayContaining([...listBindings(name), 'ADDED']));
});

test('each queue has one consumer, and each service binding refers to an existing worker', () => {
  const workers = Object.values(createTestWiring(manifest));
  const consumed = workers.flatMap(({ consumes }) => Object.keys(consumes));
  const sentTo = workers.flatMap(({ queues, consumes }) => [
    ...Object.values(queues),
    ...Object.values(consumes).flatMap(({ deadLetterQueue }) => deadLetterQueue ?? []),
  ]);
  const names = manifest.workers.map(({ name }) => name);

  expect(new Set(consumed).size).toBe(consumed.length);
  expect(consumed).toEqual(expect.arrayContaining(sentTo));
  expect(names).toEqual(
    expect.arrayContaining(workers.flatMap(({ services }) => Object.values(services).map(({ worker }) => worker))),
  );
});

test('a consumer handles as many batches concurrently as configured', () => {
  const inFiles = manifest.workers.flatMap(({ name }) => {
    const file = name === 'gateway' ? 'wrangler.toml' : `workers/${name}/wrangler.toml`;
    const sections = readFileSync(path.join(root, file), 'utf8').split(/^(?=\[)/m);
    return sections.flatMap((section) => {
      const [queue, most] = [/^queue = "([^"]+)"$/m, /^max_concurrency = (\d+)$/m].map((it) => it.exec(section)?.[1]);
      return most === undefined ? [] : [[queue, Number(most)]];
    });
  });
  const limited = Object.values(createTestWiring(manifest)).flatMap(({ consumes }) =>
    Object.entries(consumes).flatMap(([queue, { maxConcurrency: most }]) =>
      most === undefined ? [] : [[queue, most]],
    ),
  );

  expect(inFiles).toContainEqual(['sends', 20]);
  expect(limited.toSorted()).toEqual(inFiles.toSorted());
});

test('rejects an unsupported kind of binding', () => {
  const createManifest = (options: object): Manifest => ({
    ...manifest,
    workers: manifest.workers.map((worker): BuiltWorker => {
      if (worker.name !== 'content') return worker;
      return { ...worker, options: { ...worker.options, ...options } };
    }),
  });

  expect(() => createTestWiring(createManifest({ kvNamespaces: {} }))).not.toThrow();
  expect(() => createTestWiring(createManifest({ kvNamespaces: { CACHE: { id: 'cache' } } }))).toThrow(
    '"content" is not supported on one machine: kvNamespaces.',
  );
  expect(() => createTestWiring(createManifest({ somethingNew: true }))).toThrow('somethingNew');
});
