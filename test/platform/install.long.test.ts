import { existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runScript } from '../support/own-platform.ts';

const root = path.resolve(import.meta.dirname, '../..');

async function* walkFolder(folder: string): AsyncGenerator<string> {
  yield folder;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* walkFolder(file);
    else yield file;
  }
}

/** Returns the disk usage of a folder in MB, as measured by `du`. */
async function getMegabytes(folder: string): Promise<number> {
  const blocks = new Map<number, number>();
  for await (const file of walkFolder(folder)) {
    const { ino, blocks: taken } = await lstat(file);
    blocks.set(ino, taken);
  }
  return [...blocks.values()].reduce((sum, taken) => sum + taken, 0) / 2048;
}

/** Copies the files that an installation needs, without installed packages. */
async function copyManifests(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-install-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const members = await Promise.all(
    ['packages', 'workers', 'integrations'].map(async (parent) =>
      (await readdir(path.join(root, parent))).map((name) => `${parent}/${name}/package.json`),
    ),
  );
  const scripts = ['package.json', 'bootstrap.mjs', 'kept-files.mjs'].map((name) => `scripts/${name}`);
  const shared = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.cjs'];
  const tests = ['test/package.json', 'test/browser/package.json'];
  // A deleted workspace member leaves its folder behind, because of the packages installed in it.
  const present = members.flat().filter((file) => existsSync(path.join(root, file)));
  for (const file of [...shared, ...scripts, ...present, ...tests]) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await copyFile(path.join(root, file), path.join(folder, file));
  }
  return folder;
}

test('npm start installs at most 440 MB, npm test at most 690 MB', { timeout: 600_000 }, async () => {
  const folder = await copyManifests();
  const sizes: number[] = [];
  for (const script of ['nothing.ts', 'check.ts']) {
    await writeFile(path.join(folder, script), '');
    const { code, stderr } = await runScript([path.join(folder, 'scripts/bootstrap.mjs'), script], { OCTAVO_TEST: '' });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Installed in') });
    sizes.push(Math.ceil(await getMegabytes(path.join(folder, 'node_modules'))));
  }
  const [start = 0, tests = 0] = sizes;
  console.log(`npm start installs ${start} MB, npm test ${tests} MB`);
  expect(start).toBeLessThanOrEqual(440);
  expect(tests).toBeLessThanOrEqual(690);
});
