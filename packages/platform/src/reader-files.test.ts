import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeOldFiles } from './reader-files.ts';

test('a build keeps the files of the previous build, and deletes those of earlier builds', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-reader-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(path.join(folder, 'icons'));
  await writeFile(path.join(folder, 'icons/star.svg'), 'star');
  const build = async (...names: string[]) => {
    for (const name of names.flatMap((each) => [each, `${each}.br`])) await writeFile(path.join(folder, name), name);
    await removeOldFiles(folder, names);
  };

  await writeFile(path.join(folder, 'site.0.css'), 'of a release that lists no files');
  await build('site.1.css', 'shared.1.js');
  expect(await readdir(folder)).toContain('site.0.css');
  await build('site.2.css', 'shared.1.js');
  await build('site.3.css', 'shared.1.js');

  expect((await readdir(folder)).toSorted()).toEqual([
    'icons',
    'names.json',
    ...['shared.1.js', 'shared.1.js.br', 'site.2.css', 'site.2.css.br', 'site.3.css', 'site.3.css.br'],
  ]);
  expect(await readdir(path.join(folder, 'icons'))).toEqual(['star.svg']);
});
