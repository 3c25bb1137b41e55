import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { edit, json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { octavo } from './octavo.ts';
import { SyncedRepository } from './synced-repository.ts';

interface Listed {
  id: string;
  title: string;
  git?: { path: string };
}

async function createSyncedSpace(files: Record<string, string | Buffer>) {
  const space = await platform().makeSpace();
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  const repository = await SyncedRepository.make(files);
  const sync = (...args: string[]) => octavo(env, 'sync', repository.bare, '--space', space.id, ...args);
  const getSpacePath = (rest: string) => `/v1/spaces/${space.id}${rest}`;
  const readPages = async () => (await json<{ pages: Listed[] }>(getSpacePath('/content/pages'), space)).pages;
  const getPaths = async () => (await readPages()).map(({ git }) => git?.path);
  const write = async (title: string, markdown: string) => {
    const page = (await readPages()).find((each) => each.title === title)?.id ?? '';
    await edit(space, [{ operation: 'update_page', page, document: { markdown } }]);
  };
  const requestChangeRequests = (rest = '', sent = {}) =>
    json<Listed>(getSpacePath(`/change-requests/${rest}`), { ...space, ...sent });
  return { space, env, repository, sync, pages: readPages, pathsOf: getPaths, write, requests: requestChangeRequests };
}

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;

/** Returns the modes, blob IDs and paths of the newest commit. */
async function listBlobs(repository: SyncedRepository): Promise<string[]> {
  await repository.pull();
  return (await repository.git('ls-tree', '-r', '-z', 'HEAD')).split('\0').filter(Boolean);
}

const summary = '# Table of contents\n\n* [Readme](README.md)\n* [Guide](guide.md)\n';
const latin = Buffer.from('# A\n\ncaf\u00e9\n', 'latin1');

test('keeps unlisted files on both sides, and does not duplicate files with unusual names', async () => {
  const { repository, sync, pathsOf, write } = await createSyncedSpace({
    'README.md': '# Readme\n',
    'readme.md': '# Other\n',
    'CONTRIBUTING.md': '# C\n',
    'docs/index.md': '# I\n',
    'docs/a.md': '# A\n',
    'docs/Why?.md': '# Why\n',
    '.github/PULL_REQUEST_TEMPLATE.md': '## What\n',
  });
  await sync();
  const first = (await listBlobs(repository)).filter((each) => !each.endsWith('SUMMARY.md'));
  expect(first).toHaveLength(7);
  await repository.commit({ 'mkdocs.yml': 'site_name: x\nnav:\n  - index.md\n  - a.md\n', 'SUMMARY.md': '' }, 'MkDocs');
  await repository.git('rm', '-q', 'SUMMARY.md');
  await repository.commit({}, 'No summary');
  expect(await sync()).toMatchObject({ code: 0 });
  expect((await listBlobs(repository)).filter((each) => !each.endsWith('mkdocs.yml'))).toEqual(first);
  expect(await pathsOf()).toEqual(expect.arrayContaining(['README.md', 'readme.md', 'CONTRIBUTING.md']));
  await write('Why', '# Why\n\nTold.\n');
  await sync();
  const now = await repository.readFiles();
  expect(now['docs/Why?.md']).toBe('# Why\n\nTold.\n');
  expect(Object.keys(now).filter((each) => /why|github/i.test(each))).toHaveLength(2);
});

test('never changes a file that cannot be synced, and reports it each time', async () => {
  const { repository, sync, write, pages } = await createSyncedSpace({
    'README.md': '# Readme\n',
    'a.md': '# A\n',
    'b.md': '# B\n',
  });
  await sync();
  await repository.commit({ 'a.md': latin, 'b.md': `# B\n\n${'y'.repeat(1_100_000)}\n` }, 'Not to be read');
  const standing = await listBlobs(repository);
  for (const text of ['', '# A\n\nOf Octavo.\n', '']) {
    if (text) await write('A', text);
    const { code, stderr } = await sync();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/a\.md.*UTF-8[\s\S]*b\.md.*bytes/) });
    expect(await listBlobs(repository)).toEqual(standing);
  }
  expect(await pages()).toHaveLength(3);
  await repository.commit({ 'a.md': '# A\n\nOf Octavo.\n\nAnd git.\n', 'b.md': '# B\n' }, 'Mended');
  expect(await sync()).toMatchObject({ code: 0 });
  expect((await repository.readFiles())['a.md']).toContain('And git.');
});

test('keeps variables that were not imported, and an unreadable variables file', async () => {
  const vars = '.gitbook/vars.yaml';
  const text = 'a: 1\nmy list:\n  - x\nnested:\n  b: 2\n';
  const { repository, sync, space } = await createSyncedSpace({ 'README.md': '# Readme\n', [vars]: text });
  const change = (variables: object) =>
    json(`/v1/spaces/${space.id}/content`, {
      token: space.token,
      body: { changes: [{ operation: 'set_variables', variables }] },
    });
  await sync();
  expect((await repository.readFiles())[vars]).toBe(text);
  await change({ a: null, c: 3 });
  await sync();
  expect((await repository.readFiles())[vars]).toBe('my list:\n  - x\nnested:\n  b: 2\nc: 3\n');
  await repository.commit({ [vars]: 'c: [\n' }, 'Broken');
  await change({ d: 4 });
  expect((await sync()).stderr).toMatch(/vars\.yaml: .*could not be read/);
  expect((await repository.readFiles())[vars]).toBe('c: [\n');
  const { variables } = await json<{ variables: object }>(`/v1/spaces/${space.id}/content`, space);
  expect(variables).toEqual({ c: 3, d: 4 });
});

test('a deleted file stays deleted even if the summary still lists it', async () => {
  const { repository, sync, pathsOf } = await createSyncedSpace({
    'SUMMARY.md': summary,
    'README.md': '# Readme\n',
    'guide.md': '# Guide\n\nGuided.\n',
  });
  await sync();
  await repository.commit({ 'guide.md': null }, 'Remove');
  for (const line of [
    'warning: SUMMARY.md: The entry Guide names guide.md, which does not exist. It was left out.\n',
    '',
  ]) {
    expect(await sync()).toMatchObject({ code: 0, stderr: line });
    expect(await repository.readFiles()).not.toHaveProperty(['guide.md']);
    expect(await pathsOf()).not.toContain('guide.md');
  }
});

test('remembers the root folder and the branch, and ignores everything outside the Git tree', async () => {
  const { repository, sync, env, space } = await createSyncedSpace({
    'x.md': '# X\n',
    'docs/README.md': '# Readme\n',
    '.gitattributes': '*.png filter=lfs\n',
    'docs/img/kept.png': pointer,
  });
  const hook = path.join(repository.bare, 'hooks', 'post-receive');
  await mkdir(path.dirname(hook), { recursive: true });
  await writeFile(hook, `#!/bin/sh\ntouch ${repository.clone}/ran\n`);
  await chmod(hook, 0o755);
  process.env.GIT_DIR = path.join(repository.clone, '.git');
  const first = await sync('--root', 'docs').finally(() => {
    delete process.env.GIT_DIR;
  });
  expect(first).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('img/kept.png: The file is stored in Git LFS'),
  });
  expect(await json(`/v1/spaces/${space.id}/content`, space)).toMatchObject({ files: [] });
  await expect(stat(path.join(repository.clone, 'ran'))).rejects.toThrow('ENOENT');
  const standing = await listBlobs(repository);
  const refused = [[], ['--root', 'docs', '--branch', 'mian'], ['--root', 'docs', '--branch', 'mian', '--dry-run']];
  for (const args of refused)
    expect(await sync(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The space is already synced with the folder docs of the branch main'),
    });
  await repository.git('push', '-q', 'origin', 'main:other');
  await repository.git('symbolic-ref', 'HEAD', 'refs/heads/main');
  expect(await octavo(env, 'sync', path.join(repository.clone, 'docs'), '--space', space.id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--root docs'),
  });
  expect(await listBlobs(repository)).toEqual(standing);
});

test('with --review, a file that cannot be read removes no other content, and later syncs continue', async () => {
  const { space, repository, sync, requests, write } = await createSyncedSpace({
    'README.md': '# Readme\n',
    'a.md': '# A\n',
    'b.md': '# B\n',
  });
  await chmod(path.join(repository.clone, 'README.md'), 0o755);
  await repository.commit({}, 'Executable');
  await sync();
  await repository.commit({ 'a.md': '# A\n\nFirst.\n' }, 'A');
  await sync('--review');
  await repository.commit({ 'b.md': latin }, 'Not to be read');
  const { stdout, stderr } = await sync('--review');
  expect({ stdout, stderr }).toEqual({ stdout: 'Change request 2: open.\n', stderr: expect.stringContaining('b.md') });
  await repository.commit({ 'b.md': '# B\n\nMended.\n' }, 'Mended');
  expect((await sync('--review')).stdout).toBe('Change request 2: open.\n');
  await requests('2/merge', { method: 'POST' });
  // The next change request starts from live content, because a chain of change requests has a limited length.
  const { revision } = await json<{ revision: string }>(`/v1/spaces/${space.id}`, space);
  await repository.commit({ 'README.md': '# Readme\n\nSecond.\n' }, 'Second');
  expect((await sync('--review')).stdout).toBe('Change request 3: open.\n');
  expect(await requests('3')).toMatchObject({ revisionInitial: revision });
  await requests('3/merge', { method: 'POST' });
  await write('Readme', '# Readme\n\nOf Octavo.\n');
  await sync();
  expect(await repository.readFiles()).toEqual({
    'README.md': '# Readme\n\nOf Octavo.\n',
    'a.md': '# A\n\nFirst.\n',
    'b.md': '# B\n\nMended.\n',
  });
  expect(await repository.git('ls-tree', 'HEAD', 'README.md')).toContain('100755');
});

test('preserves modes, links, submodules, line endings and other files of the Git tree', async () => {
  const { repository, sync, write, pages, env, space } = await createSyncedSpace({
    'README.md': '# Readme\r\n\r\nOne.\r\n\r\nTwo.\r\n',
    'a.md': '# A\n',
    '.gitattributes': '*.png filter=lfs diff=lfs merge=lfs -text\n*.md text eol=crlf\n',
    'tool.sh': '#!/bin/sh\n',
  });
  const { clone } = repository;
  // The clone has no Git LFS, so `git add` stores files unchanged.
  await symlink('a.md', path.join(clone, 'b.md'));
  await chmod(path.join(clone, 'tool.sh'), 0o755);
  const head = (await repository.git('rev-parse', 'HEAD')).trim();
  await repository.git('update-index', '--add', '--cacheinfo', `160000,${head},module`);
  await mkdir(path.join(clone, 'module'));
  await repository.commit({ 'img.png': pointer, 'plain.png': 'an image' }, 'All kinds');
  const standing = await listBlobs(repository);
  const kinds = standing.map((line) => line.slice(0, 6)).sort();
  expect(kinds).toEqual(['100644', '100644', '100644', '100644', '100644', '100755', '120000', '160000']);
  const first = await sync();
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('img.png: The file is stored in Git LFS') });
  expect(await listBlobs(repository)).toEqual(standing);
  expect((await pages()).map(({ title }) => title).sort()).toEqual(['A', 'Readme']);

  await repository.git('config', 'core.autocrlf', 'true');
  await write('A', '# A\n\nOf Octavo.\n');
  const done = await octavo(env, 'sync', clone, '--space', space.id);
  expect(done, done.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Commit .*\(1 written, 0 removed\)/),
  });
  const isOtherFile = (line: string) => !line.endsWith('\ta.md');
  expect((await listBlobs(repository)).filter(isOtherFile)).toEqual(standing.filter(isOtherFile));
  expect(await repository.git('cat-file', 'blob', 'HEAD:a.md')).toBe('# A\n\nOf Octavo.\n');
  expect(await repository.git('status', '--porcelain')).toBe('');
});

test('a renamed summary heading stays the same group, and pages of a removed group move up', async () => {
  const listed = '# Table of contents\n\n## Group\n\n* [Guide](guide.md)\n  * [Below](below.md)\n';
  const { repository, sync, pages } = await createSyncedSpace({
    'SUMMARY.md': listed,
    'guide.md': '# Guide\n',
    'below.md': '# Below\n',
  });
  await sync();
  const [group] = await pages();
  await repository.commit({ 'SUMMARY.md': listed.replace('Group', 'Guides') }, 'Rename');
  expect(await sync()).toMatchObject({ code: 0 });
  expect(await pages()).toMatchObject([{ id: group?.id, title: 'Guides', pages: [{ title: 'Guide' }] }]);
  const flat = '# Table of contents\n\n## Guides\n\n* [Below](below.md)\n';
  await repository.commit({ 'SUMMARY.md': flat, 'guide.md': null }, 'Remove what is above');
  expect(await sync()).toMatchObject({ code: 0 });
  expect(await pages()).toMatchObject([{ id: group?.id, pages: [{ title: 'Below', pages: [] }] }]);
  expect(await repository.readFiles()).toEqual({ 'SUMMARY.md': flat, 'below.md': '# Below\n' });
});
