import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { getNodes, getSources, type Source } from '../support/sources.ts';

const home = 'packages/platform/src/local-runtime.ts';
// Before you change a version here, check that `home` still works with the changes in that version.
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

function findUsedNames(source: Source): string[] {
  if (!/unstable_|experimental_|unsafe[A-Z]|MINIFLARE_|MF-|convertV4|wrangler|miniflare|workerd/.test(source.text))
    return [];
  return [...getNodes(source.tree)]
    .filter((node) => ts.isIdentifier(node) || ts.isStringLiteral(node))
    .filter((node) => unstable.test(node.text) || (foreign.test(node.text) && isModule(node)))
    .map(({ text }) => text);
}

test('unstable and beta features of the local runtime are used in a single file', () => {
  const usedNames = sources
    .filter(({ path }) => path !== home)
    .flatMap((each) => findUsedNames(each).map((name) => `${each.path}: ${name}`));

  expect(usedNames).toEqual([]);
});

test('the installed versions are those with which the list of features was checked', () => {
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
    .flatMap(findUsedNames)
    .filter((name) => unstable.test(name));

  expect(named).toEqual(expect.arrayContaining(['unstable_readConfig', 'unsafeDirectSockets', 'MF-Route-Override']));
  expect(named.filter((name) => !program.includes(name))).toEqual([]);
});
