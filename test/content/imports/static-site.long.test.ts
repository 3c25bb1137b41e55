import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { flatten, getClient } from '../space-client.ts';
import { importAll } from './site.ts';

const folder = path.resolve(import.meta.dirname, '../../node_modules/npm/docs/output');

/** Serves the published documentation of npm, with a list of its pages as the start page. */
async function serveDocs() {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.html')).sort();
  const index = files.map((name) => `<li><a href="/${name}">${name}</a></li>`).join('');
  const url = await serveLocally(async (request, response) => {
    const name = (request.url ?? '').slice(1);
    const body =
      name === ''
        ? `<h1>All pages</h1><ul>${index}</ul>`
        : await readFile(path.join(folder, name)).catch(() => undefined);
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
  });
  return { url, files };
}

test('imports a site of 85 static pages as a page tree with links between the pages', {
  timeout: 180_000,
}, async () => {
  const { url, files } = await serveDocs();
  const space = getClient(platform(), await platform().makeSpace());

  const state = await importAll(space, { url });
  const tree = await space.pages();
  const pages = flatten(tree).filter(({ type }) => type === 'document');
  const texts = await Promise.all(pages.map(async ({ id }) => (await space.page(id)).markdown ?? ''));

  expect(state).toMatchObject({ status: 'completed', failedResources: 0, failures: [] });
  expect(files).toHaveLength(85);
  expect(pages).toHaveLength(86);
  expect(tree.map(({ title, type }) => [title, type])).toEqual([
    ['All pages', 'document'],
    ['commands', 'group'],
    ['configuring npm', 'group'],
    ['using npm', 'group'],
  ]);
  expect(tree.map(({ pages: below = [] }) => below.length)).toEqual([0, 66, 8, 11]);
  const known = new Set(pages.map(({ id }) => id));
  const targets = texts.flatMap((text) => [...text.matchAll(/\]\(\/pages\/(\w+)/g)].map(([, id]) => id ?? ''));
  expect(targets.length).toBeGreaterThan(700);
  expect(targets.filter((id) => !known.has(id))).toEqual([]);
  expect(texts.filter((text) => text.includes(url))).toEqual([]);
  expect(await space.head()).toMatchObject({ id: state.revision, parents: [expect.stringMatching(/^rev_/)] });
});
