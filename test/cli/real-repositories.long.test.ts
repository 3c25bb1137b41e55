import { existsSync } from 'node:fs';
import { cp, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createCommandLine, createTemporaryFolder } from './octavo.ts';
import { findLinkedFile, isOutside } from './real-book.ts';

const packages = path.resolve(import.meta.dirname, '../node_modules');
const getFolder = (at: string) => async () => path.join(packages, at);

/** Builds a Docusaurus site from the templates of create-docusaurus. */
async function createSite(): Promise<string> {
  const folder = await createTemporaryFolder();
  for (const template of ['shared', 'classic'])
    await cp(path.join(packages, 'create-docusaurus/templates', template), folder, { recursive: true });
  return folder;
}

interface ImportOutput {
  space: string;
  convention: { name: string };
  counts: { created: number; failed: number };
  problems: { kind: string; path: string }[];
  brokenLinks: { total: number; links: { target: string; reason: string; places: string[] }[] };
}

/** Returns the files of a folder, without hidden ones. */
async function listVisibleFiles(folder: string): Promise<Set<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  return new Set(paths.filter((file) => !file.split('/').some((part) => part.startsWith('.'))));
}

const isText = (file: string): boolean => /\.mdx?$/.test(file);
const isImage = (file: string): boolean => /\.(?:png|jpe?g|gif|svg|webp|ico)$/.test(file);

test.each([
  { name: 'the manual of npm', convention: 'folders', find: getFolder('npm/docs/content') },
  { name: 'fastify', convention: 'folders', find: getFolder('fastify/docs') },
  { name: 'undici', convention: 'folders', find: getFolder('undici/docs/docs') },
  { name: 'pino', convention: 'folders', find: getFolder('pino/docs') },
  { name: 'GitBook', convention: 'summary', find: getFolder('gitbook/docs') },
  { name: 'a new site of Docusaurus', convention: 'docusaurus', find: createSite },
])('imports the documentation of $name completely, and exports it byte for byte', async ({ convention, find }) => {
  const { octavo } = await createCommandLine();
  const folder = await find();
  const files = await listVisibleFiles(folder);
  const imported = await octavo('import', folder, '--space', 'new', '--json');
  expect(imported.code, imported.stderr).toBe(0);
  const report = JSON.parse(imported.stdout) as ImportOutput;
  expect(report).toMatchObject({ convention: { name: convention }, counts: { failed: 0 } });

  const out = await createTemporaryFolder();
  expect((await octavo('export', report.space, out, '--force')).code).toBe(0);
  const written = await listVisibleFiles(out);
  expect([...written].filter((file) => !files.has(file))).toEqual([]);
  for (const file of written)
    expect(await readFile(path.join(out, file)), file).toEqual(await readFile(path.join(folder, file)));

  const named = report.problems.map((problem) => problem.path);
  const isNamed = (file: string) => named.some((at) => at === file || (at.endsWith('/') && file.startsWith(at)));
  const untold = [...files].filter((file) => !written.has(file) && !isNamed(file));
  expect(untold).toEqual([]);
  const missing = [...files].filter((file) => (isText(file) || isImage(file)) && !written.has(file));
  expect(missing.filter((file) => !isNamed(file))).toEqual([]);

  const { links, total } = report.brokenLinks;
  expect(links).toHaveLength(total);
  const meant = links.flatMap(({ target, reason, places: [place = ''] }) => {
    const file = reason === 'no-anchor' || isOutside(target) ? undefined : findLinkedFile(target, place, files);
    return file === undefined || !existsSync(path.join(out, file)) ? [] : [`${target} in ${place}`];
  });
  expect(meant).toEqual([]);
});
