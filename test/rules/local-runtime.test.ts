import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { getNodes, getSources, type Source } from '../support/sources.ts';

const home = 'packages/platform/src/local-runtime.ts';
// Before you add a new version here, check that file against the changes in the version.
const versions = { wrangler: '4.156.2', miniflare: '5.20261102.0-beta', workerd: '1.20261102.1' };
const unstable = /^(unstable_|experimental_|unsafe[A-Z]|MINIFLARE_|MF-|miniflare-unsafe|convertV4)/;
const foreign = /^(wrangler|miniflare|workerd)$/;

const isModule = ({ parent }: ts.Node) =>
  ts.isImportDeclaration(parent) ||
  ts.isExportDeclaration(parent) ||
  (ts.isCallExpression(parent) && /(^import|resolve|require)$/i.test(parent.expression.getText()));

const sources = getSources('packages', 'workers', 'scripts', 'test/support').filter(
  ({ path }) => !path.endsWith('.test.ts'),
);
const fromPlatform = createRequire(createRequire(import.meta.url).resolve('@octavo/platform'));
const fromMiniflare = createRequire(fromPlatform.resolve('miniflare'));
const installed = {
  wrangler: fromPlatform.resolve('wrangler'),
  miniflare: fromPlatform.resolve('miniflare'),
  workerd: fromMiniflare.resolve('workerd'),
};

function namesIn(source: Source): string[] {
  if (!/unstable_|experimental_|unsafe[A-Z]|MINIFLARE_|MF-|convertV4|wrangler|miniflare|workerd/.test(source.text))
    return [];
  return [...getNodes(source.tree)]
    .filter((node) => ts.isIdentifier(node) || ts.isStringLiteral(node))
    .filter((node) => unstable.test(node.text) || (foreign.test(node.text) && isModule(node)))
    .map(({ text }) => text);
}

test('unstable and beta features of the local runtime are used in a single file', () => {
  const found = sources
    .filter(({ path }) => path !== home)
    .flatMap((each) => namesIn(each).map((name) => `${each.path}: ${name}`));

  expect(found).toEqual([]);
});

test('the installed versions equal those that the list of features was checked with', () => {
  const found = Object.entries(installed).map(([name, main]) => {
    const [folder = ''] = main.split(new RegExp(`(?<=/node_modules/${name})/`));
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
    return [name, version];
  });

  expect(Object.fromEntries(found)).toEqual(versions);
});

test('wrangler and Miniflare still have the features that the list names', () => {
  const program = [installed.wrangler, installed.miniflare].map((main) => readFileSync(main, 'utf8')).join('\n');
  const named = sources
    .filter(({ path }) => path === home)
    .flatMap(namesIn)
    .filter((name) => unstable.test(name));

  expect(named).toEqual(expect.arrayContaining(['unstable_readConfig', 'unsafeDirectSockets', 'MF-Route-Override']));
  expect(named.filter((name) => !program.includes(name))).toEqual([]);
});
