import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { callGit, runGitForText } from './git.ts';
import { writeCommit } from './points.ts';
import { PlainFolder } from './work-tree.ts';

async function createPlainFolder(files: Record<string, string>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-plain-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const getPath = (file: string) => path.join(folder, file);
  for (const [file, text] of Object.entries(files)) await writeFile(getPath(file), text);
  const plain = await PlainFolder.open(folder);
  await plain.commitFolder();
  const readTip = () => runGitForText(plain.address, ['rev-parse', 'main']);
  /** Simulates a sync that is killed after it has pushed and before it updates the folder. */
  const push = async (file: string, text: string) => {
    const files = new Map([[file, { readBytes: async () => Buffer.from(text), mode: '100644' }]]);
    const author = { name: 'x', email: 'x@example.com' };
    const said = { folder: plain.address, parent: await readTip(), root: '', author, message: 'x\n' };
    await callGit(plain.address, [
      'update-ref',
      'refs/heads/main',
      await writeCommit({ files: files, removed: [] }, said),
    ]);
  };
  const readFromTip = (file: string) => runGitForText(plain.address, ['show', `main:${file}`]);
  const readFromFolder = (file: string) => readFile(getPath(file), 'utf8');
  return { plain, at: getPath, push, tip: readTip, inTip: readFromTip, inFolder: readFromFolder };
}

test('keeps changes made during an interrupted sync, and the next sync writes the remaining files', async () => {
  const { plain, at, push, inTip, inFolder } = await createPlainFolder({ 'a.md': 'a\r\n', 'b.md': 'b' });
  await push('a.md', 'of Octavo');
  await writeFile(at('b.md'), 'of the folder');
  await plain.commitFolder();
  expect([await inFolder('a.md'), await inFolder('b.md')]).toEqual(['of Octavo', 'of the folder']);
  expect([await inTip('a.md'), await inTip('b.md')]).toEqual(['of Octavo', 'of the folder']);
});

test('never overwrites an unexpected file: the sync stops and reports why', async () => {
  const { plain, at, push, tip, inFolder } = await createPlainFolder({ 'a.md': 'a' });
  expect(await plain.hasCommittedContent()).toBe(true);
  await push('a.md', 'of Octavo');
  await push('new.md', 'of Octavo');
  const before = await tip();
  await writeFile(at('a.md'), 'of the folder');
  expect(await plain.hasCommittedContent()).toBe(false);
  expect(await plain.followCommit(before)).toContain('a.md');
  await expect(plain.commitFolder()).rejects.toThrow(/a\.md/);
  expect([await inFolder('a.md'), await tip()]).toEqual(['of the folder', before]);

  await writeFile(at('a.md'), 'a');
  await utimes(at('a.md'), 1, 1);
  await writeFile(at('new.md'), 'also of the folder');
  await expect(plain.commitFolder()).rejects.toThrow(/new\.md/);
  await rm(at('new.md'));
  await plain.commitFolder();
  expect([await inFolder('a.md'), await inFolder('new.md'), await tip()]).toEqual(['of Octavo', 'of Octavo', before]);
});

test('preserves bytes, names and modes, whatever Git attributes and ignore rules the folder has', async () => {
  const files = { '.gitattributes': '* text eol=lf\n', 'é [x].md': '\ufeffa\r\nb\n', '.gitignore': 'left.md\n' };
  const { plain, at, inTip } = await createPlainFolder({ ...files, 'left.md': 'x' });
  const listed = await runGitForText(plain.address, ['ls-tree', '-r', '-z', '--name-only', 'main']);
  expect(listed.split('\0').filter(Boolean).sort()).toEqual(Object.keys(files).sort());
  expect(await inTip('é [x].md')).toBe('\ufeffa\r\nb'.trim());
  expect(await plain.hasCommittedContent()).toBe(true);
  await writeFile(at('left.md'), 'y');
  expect(await plain.hasCommittedContent()).toBe(true);
});
