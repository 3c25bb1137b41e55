import type { Endpoint } from '@octavo/schema';
import { contracts, getOperationName } from '@octavo/schema';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import type { Source } from '../support/sources.ts';
import { findTarget, getExports, getNodes, getSources, listPaths } from '../support/sources.ts';

const isTest = ({ path }: { path: string }) => path.endsWith('.test.ts');
const shipped = getSources('packages', 'workers', 'integrations').filter((source) => !isTest(source));
const everything = [...shipped, ...getSources('scripts', 'test'), ...getSources('packages', 'workers').filter(isTest)];
const workers = ['collaboration', 'content', 'gateway', 'integrations', 'org-admin', 'publishing'];

const getSourcesInside = (folder: string) => shipped.filter(({ path }) => path.startsWith(`${folder}/`));
const countLines = (text: string) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

const octavo = (...names: string[]) => names.map((name) => `@octavo/${name}`);
const drizzle = ['drizzle-orm', 'drizzle-orm/batch', 'drizzle-orm/d1', 'drizzle-orm/sqlite-core'];
const prosemirror = ['commands', 'dropcursor', 'gapcursor', 'history', 'inputrules', 'keymap', 'model', 'schema-list']
  .concat(['state', 'tables', 'transform', 'view'])
  .map((name) => `prosemirror-${name}`);
/** The imports of each worker beyond those of its layer. */
const ownOf: Record<string, string[]> = {
  collaboration: octavo('expression', 'markdown'),
  content: [
    ...octavo('archive', 'embeds', 'expression', 'markdown', 'merge', 'outline', 'search', 'website'),
    ...['fractional-indexing', 'image-size', 'zod'],
  ],
  integrations: [...octavo('script-isolate'), '@cfworker/json-schema', 'image-size'],
  'org-admin': [...octavo('expression', 'search'), '@node-saml/node-saml', 'jose', 'node:crypto'],
  publishing: [
    ...octavo('expression', 'markdown', 'reader', 'specification'),
    ...['@modelcontextprotocol/sdk/', 'jose', 'zod'],
  ],
};
const layers: Record<string, string[]> = {
  'packages/schema': ['zod'],
  'packages/expression': [...octavo('schema'), '@cfworker/json-schema', 'jsep'],
  'packages/markdown': [
    ...octavo('schema', 'expression'),
    'markdown-it',
    'markdown-it-cjk-friendly',
    'markdown-it-emoji/',
    'slugify',
    'yaml',
  ],
  // Integration scripts are bundled with everything that they import, so they import only types of the contract.
  'packages/integration': octavo('schema'),
  'integrations/analytics': octavo('integration'),
  'integrations/link-checker': octavo('integration', 'schema'),
  'integrations/notifications': octavo('integration', 'schema'),
  'packages/merge': [...octavo('expression', 'markdown'), 'yaml'],
  'packages/outline': [...octavo('schema', 'markdown'), '@sveltejs/acorn-typescript', 'acorn', 'smol-toml', 'yaml'],
  'packages/specification': [
    ...octavo('markdown'),
    '@scalar/openapi-upgrader/2.0-to-3.0',
    '@scalar/openapi-upgrader/3.0-to-3.1',
    'js-yaml',
  ],
  'packages/archive': [...octavo('outline'), 'fflate'],
  'packages/website': [
    ...octavo('markdown', 'outline'),
    ...['hast-util-from-html', 'hast-util-to-mdast', 'mdast-util-gfm', 'mdast-util-to-markdown'],
    ...['robots-parser', 'saxes'],
  ],
  'packages/typeset': [
    ...octavo('highlight', 'schema', 'markdown'),
    ...['bidi-js', 'omggif', 'pdfkit', 'saxes', 'svg-to-pdfkit'],
  ],
  'packages/highlight': ['@codemirror/legacy-modes/mode/', '@codemirror/streamparser'],
  'packages/embeds': [],
  'packages/editor': [
    ...octavo('markdown/editing', 'markdown/anchors', 'merge'),
    '@codemirror/',
    '@lezer/markdown',
    ...prosemirror,
  ],
  'packages/search': ['porter2'],
  'packages/space-files': [...octavo('client/concurrency', 'markdown', 'outline', 'schema'), 'yaml'],
  'packages/reader': [
    ...octavo('embeds', 'highlight', 'markdown', 'markdown/anchors', 'schema', 'schema/web-origin', 'specification'),
    ...['@scalar/snippetz/plugins/', 'mermaid/dist/mermaid.esm.min.mjs', 'preact', 'preact-render-to-string', 'temml'],
  ],
  'packages/app': [
    ...octavo(
      'editor',
      'expression',
      'highlight',
      'markdown/editing',
      'markdown/anchors',
      'merge',
      'reader/colors',
      'reader/drawing',
      'schema',
      'space-files',
    ),
    'fflate',
    'preact',
    'preact/hooks',
    'temml',
  ],
  'packages/db': [...octavo('schema'), ...drizzle, 'fractional-indexing'],
  'packages/runtime': [
    ...octavo('schema', 'db', 'expression'),
    ...['drizzle-orm', 'ipaddr.js', 'itty-router/IttyRouter', 'jose', 'zod'],
  ],
  'packages/script-isolate': octavo('runtime'),
  'packages/client': [...octavo('schema'), 'zod', 'node:timers/promises'],
  'workers/gateway': [...octavo('schema', 'schema/documentation', 'runtime'), 'zod', 'zod-openapi'],
  'workers/directory': octavo('schema', 'runtime'),
  'workers/render': [
    ...octavo('db', 'markdown', 'schema', 'specification', 'typeset'),
    ...['@jsquash/webp/', 'cloudflare:workers'],
  ],
  ...Object.fromEntries(
    workers
      .filter((worker) => worker !== 'gateway')
      .map((worker) => [
        `workers/${worker}`,
        [...octavo('schema', 'db', 'runtime'), 'drizzle-orm', 'cloudflare:workers', ...(ownOf[worker] ?? [])],
      ]),
  ),
};

describe.each(Object.entries(layers))('%s', (folder, allowed) => {
  const imports = getSourcesInside(folder).flatMap((source) => source.imports.map((each) => ({ source, ...each })));

  test('imports only what its layer allows', () => {
    const isAllowed = (from: string) =>
      allowed.some((each) => (each.endsWith('/') ? from.startsWith(each) : from === each));
    const foreign = imports.filter(({ from }) => !from.startsWith('.') && !isAllowed(from));

    expect(foreign.map(({ source, from }) => `${source.path}: ${from}`)).toEqual([]);
  });

  test('imports no file of another package by path', () => {
    const outside = imports.filter(
      (each) => each.from.startsWith('.') && !findTarget(each.source, each).startsWith(folder),
    );

    expect(outside.map(({ source, from }) => `${source.path}: ${from}`)).toEqual([]);
  });
});

test('the runtime imports only sql and getTableColumns from drizzle-orm, and only types from zod', () => {
  const imports = getSourcesInside('packages/runtime').flatMap((source) => source.imports);

  expect(imports.filter(({ from }) => from === 'drizzle-orm').flatMap(({ names }) => names)).toEqual(
    expect.not.arrayContaining([expect.not.stringMatching(/^(?:sql|getTableColumns)$/)]),
  );
  expect(imports.filter(({ from, typeOnly }) => from === 'zod' && !typeOnly)).toEqual([]);
});

test('the app imports only types of the contract, so that its scripts contain no schemas', () => {
  const imports = getSourcesInside('packages/app').flatMap((source) => source.imports);

  expect(imports.filter(({ from, typeOnly }) => from === '@octavo/schema' && !typeOnly)).toEqual([]);
});

test('no package imports a worker, except the machine, which contains all of them', () => {
  const others = shipped.filter(({ path }) => !path.startsWith('workers/machine/'));
  const violations = others.flatMap(({ path, imports }) =>
    imports
      .filter(({ from }) =>
        /workers\/|@octavo\/(worker|gateway|content|collaboration|directory|integrations|machine|operator|org-admin|publishing|render|script-process)$/.test(
          from,
        ),
      )
      .map(({ from }) => `${path}: ${from}`),
  );

  expect(violations).toEqual([]);
});

function findCycle(start: string, graph: Map<string, string[]>, done: Set<string>): string[] | undefined {
  const trail: string[] = [];
  const walk = (file: string): string[] | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return undefined;
    trail.push(file);
    for (const next of graph.get(file) ?? []) {
      const cycle = walk(next);
      if (cycle !== undefined) return cycle;
    }
    trail.pop();
    done.add(file);
    return undefined;
  };
  return walk(start);
}

test('files do not import each other in a cycle, not even types', () => {
  const findImportedFiles = (source: Source) =>
    source.imports.filter(({ from }) => from.startsWith('.')).map((each) => findTarget(source, each));
  const graph = new Map(everything.map((source) => [source.path, findImportedFiles(source)]));
  const done = new Set<string>();

  expect([...graph.keys()].flatMap((file) => findCycle(file, graph, done) ?? [])).toEqual([]);
});

const toKebabCase = (key: string) =>
  key
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();

const promised = Object.entries(contracts).flatMap(([domain, contract]) => {
  const endpoints = Object.entries(contract as Record<string, Endpoint>);
  const names = new Set(endpoints.map(([id, endpoint]) => getOperationName(id, endpoint)));
  return [...names].map((id) => ({ id, domain }));
});

test('the worker of its domain exports each operation once, under its name', () => {
  const exporting = Map.groupBy(
    shipped.flatMap((source) => getExports(source).map((name) => ({ name, worker: source.path.split('/')[1] }))),
    ({ name }) => name,
  );
  const exportCounts = promised.map(({ id, domain }) => ({
    id,
    count: (exporting.get(id) ?? []).filter(({ worker }) => worker === domain).length,
  }));

  expect(exportCounts.filter(({ count }) => count !== 1)).toEqual([]);
});

test('the name passed to handler equals the name of the constant', () => {
  const declared = shipped.flatMap(({ path, text }) =>
    [...text.matchAll(/^export const (\w+) = handler\(\s*'(\w+)'/gm)].map(([, constant, name]) => ({
      path,
      constant,
      name,
    })),
  );

  expect(declared.filter(({ constant, name }) => constant !== name)).toEqual([]);
});

test('a worker has at most one table of handlers', () => {
  const tables = shipped.filter(({ path }) => path.endsWith('/handlers.ts'));

  expect(tables.filter(({ path }) => path.split('/').length > 4).map(({ path }) => path)).toEqual([]);
});

test('endpoints for live content, change requests and revisions share one operation', () => {
  const toLivePath = (path: string) =>
    path.replace('/revisions/:revisionId', '/content').replace('/change-requests/:changeRequestId/', '/');
  const endpoints = Object.values(contracts).flatMap((contract) => Object.entries<Endpoint>(contract));
  const places = Map.groupBy(endpoints, ([, { method, path }]) => `${method} ${toLivePath(path)}`);
  const operations = [...places.values()].map((same) => [
    ...new Set(same.map(([id, each]) => getOperationName(id, each))),
  ]);

  // The two batches are separate operations, because their responses differ.
  expect(operations.filter((names) => names.length > 1)).toEqual([
    ['updateChangeRequestContent', 'updateSpaceContent'],
  ]);
});

test.each(['users', 'organizations', 'change-requests', 'spaces', 'search'])(
  'each operation of the resource %s has a test file of its name',
  (resource) => {
    const paths = new Set(everything.map(({ path }) => path.replace(/\.slow\.test\.ts$/, '.test.ts')));
    const missing = promised.flatMap(({ id, domain }) => {
      const folders = ['', 'api/'].map((door) => `workers/${domain}/src/${door}${resource}`);
      const isHere = folders.some((folder) =>
        getSourcesInside(folder).some((source) => getExports(source).includes(id)),
      );
      const file = `test/${domain}/${resource}/${toKebabCase(id)}.test.ts`;
      return isHere && !paths.has(file) ? [file] : [];
    });

    expect(missing).toEqual([]);
  },
);

test('files have at most 400 lines, and worker.ts at most 60', () => {
  const limit = (path: string) => (path.endsWith('/worker.ts') ? 60 : 400);
  const long = everything.filter(({ path, text }) => countLines(text) > limit(path));

  expect(long.map(({ path, text }) => `${path}: ${countLines(text)}`)).toEqual([]);
});

test('functions have at most 50 lines', () => {
  const long = shipped.flatMap(({ path, tree }) =>
    [...getNodes(tree)].filter(ts.isFunctionLike).flatMap((node) => {
      const size = countLines(node.getText());
      return size > 50 ? [`${path}: ${node.name?.getText() ?? 'a function'} has ${size}`] : [];
    }),
  );

  expect(long).toEqual([]);
});

test('no file or folder has a general-purpose name', () => {
  const named = ['packages', 'workers', 'integrations', 'scripts', 'test'].flatMap((folder) =>
    Object.values(listPaths(folder)).flat(),
  );

  expect(
    named.filter((path) => /\/(utils?|helpers?|common|lib|types|constants|misc|shared)(\.[a-z]+)*$/.test(path)),
  ).toEqual([]);
});
