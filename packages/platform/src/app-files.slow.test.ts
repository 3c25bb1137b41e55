import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { bundleApp } from './app-files.ts';

let app: Awaited<ReturnType<typeof bundleApp>>;
beforeAll(async () => {
  app = await bundleApp();
});

const readText = (name: string): string => {
  const file = app.files.find((each) => each.name === name);
  if (file === undefined) throw new Error(`There is no file ${name}.`);
  return new TextDecoder().decode(file.bytes);
};

/** Returns a script and the scripts that it imports statically. */
function findScripts(entry: string): string[] {
  const found = new Set([entry]);
  for (const name of found)
    for (const [, imported = ''] of readText(name).matchAll(/(?:from|import)"\.\/([^"]+)"/g))
      found.add(`app/${imported}`);
  return [...found];
}

const findChunk = (start: string): string => {
  const found = app.files.filter(({ name }) => name.startsWith(`app/${start}.`) && name.endsWith('.js'));
  if (found.length !== 1) throw new Error(`There are ${found.length} scripts named ${start}.`);
  return found[0]?.name ?? '';
};

const compress = promisify(brotliCompress);

/** Returns the compressed size of files in KB. */
async function measure(names: Iterable<string>): Promise<number> {
  const sizes = await Promise.all([...new Set(names)].map(async (name) => (await compress(readText(name))).length));
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}

const font = new URL('../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2', import.meta.url);

/** Returns the scripts and styles that the first load of a space with a page needs. */
const listFirstLoad = (): string[] => [
  ...[app.style, ...app.scripts],
  ...['page-screen', 'space-navigation', 'elements'].flatMap((name) => findScripts(findChunk(name))),
];

test('the first load of a space with a page takes at most 150 KB', async () => {
  expect((await measure(listFirstLoad())) + readFileSync(font).length / 1000).toBeLessThan(150);
});

test('the first load contains no schemas and no parser of Markdown', () => {
  const texts = listFirstLoad().map(readText);

  expect(texts.filter((text) => /ZodError|\bMarkdownIt\b/.test(text))).toEqual([]);
});

test('the editor takes at most 250 KB more, and its source mode 120 KB', async () => {
  const shell = new Set(app.scripts);
  const editor = findScripts(findChunk('edit-screen')).filter((name) => !shell.has(name));

  expect(await measure(editor)).toBeLessThan(250);
  expect(await measure([findChunk('source-mode')])).toBeLessThan(120);
});

test('names all scripts that the app imports statically, so that browsers load them at once', () => {
  expect(app.scripts.toSorted()).toEqual(findScripts(app.scripts[0] ?? '').toSorted());
});
