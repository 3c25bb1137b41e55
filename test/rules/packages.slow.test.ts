import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildPlatform } from '@octavo/platform';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import { getSources } from '../support/sources.ts';

const root = path.resolve(import.meta.dirname, '../..');
const packages = readdirSync(path.join(root, 'packages'));
const everything = getSources('packages', 'workers', 'integrations', 'scripts', 'test');

const getMembers = (folder: string) => readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`);
const members = [...getMembers('packages'), ...getMembers('workers')];

interface Manifest {
  sideEffects?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const getManifest = (member: string): Manifest =>
  JSON.parse(readFileSync(path.join(root, member, 'package.json'), 'utf8')) as Manifest;

/** Direct dependencies of the workspace members. Transitive ones are not listed. */
const known = new Set(members.flatMap((member) => Object.keys(getManifest(member).dependencies ?? {})));

const getName = (file: string): string => {
  const library = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  const member = /(?:^|\/)packages\/([^/]+)/.exec(file)?.[1];
  return library ?? (member === undefined ? '' : `@octavo/${member}`);
};

interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

// A run of some tests only builds the workers that it starts.
beforeAll(() => buildPlatform({ root, outDir: path.join(root, 'build') }));

/** Returns the packages and libraries in a worker's uploaded bundle. */
function listBundledPackages(worker: string): string[] {
  const text = readFileSync(path.join(root, 'build', worker, 'contents.json'), 'utf8');
  const bundledFiles = Object.values((JSON.parse(text) as Metafile).outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [getName(file)] : [])),
  );
  return [...new Set(bundledFiles)].filter((name) => known.has(name)).sort();
}

const kernel = [
  ...['@octavo/db', '@octavo/expression', '@octavo/runtime', '@octavo/schema'],
  ...['drizzle-orm', 'itty-router', 'jose', 'jsep', 'zod'],
];
const markdown = ['@octavo/markdown', 'markdown-it', 'markdown-it-cjk-friendly', 'yaml'];
const website = ['hast-util-from-html', 'hast-util-to-mdast', 'mdast-util-gfm', 'mdast-util-to-markdown'];

/** The expected contents of each worker's bundle. */
const contents: Record<string, string[]> = {
  collaboration: [...kernel, ...markdown, 'markdown-it-emoji'],
  content: [
    ...[...kernel, ...markdown, '@octavo/archive', '@octavo/embeds', '@octavo/merge', '@octavo/outline'],
    ...[
      '@octavo/search',
      'porter2',
      '@octavo/website',
      ...website,
      'fflate',
      'fractional-indexing',
      'image-size',
      'ipaddr.js',
      'markdown-it-emoji',
      'slugify',
    ],
    ...['@sveltejs/acorn-typescript', 'acorn', 'robots-parser', 'saxes', 'smol-toml'],
  ],
  directory: ['@octavo/runtime', '@octavo/schema', 'zod'],
  gateway: ['@octavo/runtime', '@octavo/schema', 'itty-router', 'jose', 'zod', 'zod-openapi'],
  integrations: [...kernel, '@cfworker/json-schema', '@octavo/script-isolate', 'image-size', 'ipaddr.js'],
  'org-admin': [...kernel, '@node-saml/node-saml', '@octavo/search', 'porter2'],
  operator: ['@octavo/db', '@octavo/runtime', '@octavo/schema', 'drizzle-orm', 'zod'],
  publishing: [
    ...[...kernel, ...markdown, '@octavo/embeds', '@octavo/highlight', '@octavo/reader', '@octavo/specification'],
    ...['@modelcontextprotocol/sdk', '@scalar/snippetz'],
    ...['markdown-it-emoji', 'preact', 'preact-render-to-string', 'slugify', 'temml'],
    ...[
      '@cfworker/json-schema',
      '@codemirror/legacy-modes',
      '@codemirror/streamparser',
      'fractional-indexing',
      'ipaddr.js',
    ],
  ],
  render: [
    ...[...markdown, '@octavo/db', '@octavo/expression', '@octavo/highlight', '@octavo/schema'],
    ...['@octavo/specification', '@octavo/typeset', '@scalar/openapi-upgrader', 'jsep', 'zod'],
    ...['@jsquash/webp', 'bidi-js', 'fflate', 'js-yaml', 'omggif', 'pdfkit', 'saxes', 'svg-to-pdfkit'],
    ...['@codemirror/legacy-modes', '@codemirror/streamparser'],
  ],
  'script-process': ['@octavo/runtime', '@octavo/script-isolate', 'ipaddr.js'],
};
contents.machine = [...new Set(Object.values(contents).flat())];

/** The worker that runs only on one machine is never uploaded. */
const uploaded = readdirSync(path.join(root, 'workers')).filter((worker) => worker !== 'machine');

test.each(uploaded)('the bundle of the worker %s contains exactly these packages and libraries', (worker) => {
  expect(listBundledPackages(worker)).toEqual([...(contents[worker] ?? [])].sort());
});

test('packages declare that they have no side effects, so unused modules are not bundled', () => {
  const imported = new Set(
    everything
      .filter(({ path: file }) => file.startsWith('workers/'))
      .flatMap(({ imports }) => imports.flatMap(({ from }) => /^@octavo\/([\w-]+)$/.exec(from)?.[1] ?? [])),
  );

  const ofPackages = [...imported].filter((name) => packages.includes(name));

  expect(ofPackages.filter((name) => getManifest(`packages/${name}`).sideEffects !== false)).toEqual([]);
});

test('scripts of integrations import only types of the contract', () => {
  const scripts = everything.filter(({ path: file }) => /^(packages\/integration|integrations)\//.test(file));
  const imports = scripts.flatMap((source) => source.imports);

  expect(imports.filter(({ from, typeOnly }) => from === '@octavo/schema' && !typeOnly)).toEqual([]);
});

test('each package is imported by name somewhere else', () => {
  const used = new Set(
    everything.flatMap(({ path: file, imports }) =>
      imports.map(({ from }) => from.split('/').slice(0, 2).join('/')).filter((name) => getName(file) !== name),
    ),
  );

  // The build bundles the app by its path.
  const imported = packages.filter((name) => name !== 'app').map((name) => `@octavo/${name}`);
  expect(imported.filter((name) => !used.has(name))).toEqual([]);
});

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

function getNames(node: ts.Statement): string[] {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.getText());
  const isNamed = ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node);
  return (isNamed || ts.isTypeAliasDeclaration(node)) && node.name !== undefined ? [node.name.text] : [];
}

/** Returns the exports of a file, values and types. */
function findExportedNames(file: string): string[] {
  const source = everything.find(({ path: each }) => each === file);
  return (source?.tree.statements ?? []).flatMap((node) => {
    if (!ts.isExportDeclaration(node)) return isExported(node) ? getNames(node) : [];
    const list = node.exportClause;
    if (list !== undefined) return ts.isNamedExports(list) ? list.elements.map(({ name }) => name.text) : [];
    const from =
      node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : '';
    return findExportedNames(path.posix.join(path.posix.dirname(file), from));
  });
}

/** Packages whose exports may be unused. The tables of `db` are also exported as a whole. */
const whole = ['cli', 'schema'];
const isTable = ({ path: file }: { path: string }) => file.startsWith('packages/db/src/tables/');
const tables = new Set(everything.filter(isTable).flatMap(({ path: file }) => findExportedNames(file)));

test.each(packages.filter((name) => !whole.includes(name)))(
  'each export of %s is used outside of the package',
  (name) => {
    const users = everything.filter(({ path: file }) => !file.startsWith(`packages/${name}/`));
    const importedNames = users.flatMap(({ imports }) => imports.filter(({ from }) => from === `@octavo/${name}`));
    const used = new Set(importedNames.flatMap(({ names }) => names));

    expect(
      findExportedNames(`packages/${name}/src/index.ts`).filter((each) => !used.has(each) && !tables.has(each)),
    ).toEqual([]);
  },
);

test('packages that are type-checked but not installed by `npm test` have type declarations', () => {
  const folder = path.join(root, 'test/browser');
  const declarations = readdirSync(folder)
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');
  const left = Object.keys(getManifest('test/browser').devDependencies ?? {});

  expect(left.filter((name) => !declarations.includes(`declare module '${name}'`))).toEqual([]);
});
