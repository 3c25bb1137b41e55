import type { Endpoint } from '@octavo/schema';
import { contracts, getOperationName } from '@octavo/schema';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import type { Source } from '../support/sources.ts';
import { findTarget, getNodes, getSources } from '../support/sources.ts';

const root = 'workers/content/src';
const content = getSources(root).filter(({ path }) => !path.endsWith('.test.ts'));
const getSourcesInside = (folder: string) => content.filter(({ path }) => path.startsWith(`${root}/${folder}/`));
const getReachedSources = (source: Source) =>
  source.imports.filter(({ from }) => from.startsWith('.')).map((each) => findTarget(source, each));

/** Returns the imports of these sources that the predicate forbids. */
const findForbiddenImports = (sources: Source[], mayNot: (target: string, source: Source) => boolean) =>
  sources.flatMap((source) =>
    getReachedSources(source)
      .filter((target) => mayNot(target, source))
      .map((target) => `${source.path}: ${target}`),
  );

const operations = new Set(
  Object.values(contracts).flatMap((contract) =>
    Object.entries<Endpoint>(contract).map(([id, endpoint]) => getOperationName(id, endpoint)),
  ),
);
const getResource = (path: string) => path.split('/').slice(0, 5).join('/');

describe('the content worker', () => {
  test('consists of its entry points, its engine and their composition', () => {
    const places = content.map(({ path }) => path.slice(root.length + 1).split('/')[0]);

    expect([...new Set(places)].sort()).toEqual([
      'api',
      'engine',
      'environment.ts',
      'handler.ts',
      'handlers.ts',
      'heads',
      'jobs',
      'operator.ts',
      'service.ts',
      'stored-data.ts',
      'worker.ts',
    ]);
  });

  test('has an engine that imports no entry point', () => {
    const known = [`${root}/engine/`, `${root}/environment.ts`];

    expect(
      findForbiddenImports(getSourcesInside('engine'), (target) => !known.some((place) => target.startsWith(place))),
    ).toEqual([]);
  });

  test('has no request handlers in its engine', () => {
    const named = getSourcesInside('engine').filter(({ tree }) =>
      [...getNodes(tree)].some((node) => ts.isIdentifier(node) && /^Handlers?$/.test(node.text)),
    );

    expect(named.map(({ path }) => path)).toEqual([]);
  });

  test('has resources that share only the engine, and operations that only the handler table imports', () => {
    const api = getSourcesInside('api');
    const isForeign = (target: string, source: Source) =>
      target.startsWith(`${root}/api/`) && getResource(target) !== getResource(source.path);
    const users = content
      .filter(({ path }) => !path.endsWith('/src/handlers.ts'))
      .filter(({ imports }) => imports.some(({ names }) => names.some((name) => operations.has(name))));

    expect(findForbiddenImports(api, isForeign)).toEqual([]);
    expect(users.map(({ path }) => path)).toEqual([]);
  });

  test('has heads and jobs without operations of the API', () => {
    const doors = [...getSourcesInside('heads'), ...getSourcesInside('jobs')];

    expect(findForbiddenImports(doors, (target) => target.startsWith(`${root}/api/`))).toEqual([]);
  });
});
