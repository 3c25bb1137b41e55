import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makePage, merge } from '../support/content.ts';
import { createTemporaryFolder, octavo, writeTree } from './octavo.ts';
import { createSyncedRepository, type SyncedRepository } from './synced-repository.ts';

const run = promisify(execFile);
const home = '# Home\n\nOne.\n\nTwo.\n\nThree.\n';

/** Makes another clone of a repository. `git` runs a command in it. */
async function getClone({ bare }: SyncedRepository, ...options: string[]) {
  const folder = path.join(await createTemporaryFolder(), 'clone');
  const git = async (...args: string[]) => (await run('git', args, { cwd: folder })).stdout.trim();
  await run('git', ['clone', '-q', ...options, pathToFileURL(bare).href, folder], { cwd: path.dirname(bare) });
  await git('config', 'user.name', 'Ben');
  await git('config', 'user.email', 'ben@example.com');
  return { folder, git };
}

test('syncs a clone that is behind its remote, but not one that is ahead', async () => {
  const { repository, sync, page, write } = await createSyncedRepository({ 'README.md': home, 'old.md': '# Old\n' });
  const behind = await getClone(repository);
  expect(await sync()).toMatchObject({ code: 0 });
  await repository.commit({ 'README.md': home.replace('One', 'One pushed'), 'new.md': '# New\n' }, 'Pushed');
  await sync();
  await write('README', home.replace('One', 'One pushed').replace('Three', 'Three of Octavo'));
  const done = await sync(behind.folder);
  expect(done, done.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Commit \w+: Live edits/) });
  const both = home.replace('One', 'One pushed').replace('Three', 'Three of Octavo');
  expect((await page('README')).markdown).toBe(both);
  expect(await repository.readFiles()).toEqual({ 'README.md': both, 'old.md': '# Old\n', 'new.md': '# New\n' });
  // The clone was fast-forwarded and has no local refs that other clones would need.
  expect(await behind.git('rev-parse', 'HEAD')).toBe((await repository.git('rev-parse', 'HEAD')).trim());
  expect(await behind.git('status', '--porcelain', '--branch')).toBe('## main...origin/main');
  expect(await behind.git('for-each-ref', 'refs/octavo')).toBe('');
  expect(await sync()).toMatchObject({ code: 0, stdout: 'No changes.\n' });

  await behind.git('commit', '-q', '--allow-empty', '-m', 'Mine');
  const refused = { code: 1, stderr: expect.stringContaining('has commits that are not in main of origin') };
  expect(await sync(behind.folder)).toMatchObject(refused);
  await behind.git('push', '-q');
  expect(await sync(behind.folder)).toMatchObject({ code: 0 });
  await behind.git('checkout', '-q', '--detach');
  expect(await sync(behind.folder)).toMatchObject({ code: 1, stderr: expect.stringContaining('not on a branch') });
  await repository.pull();
  await repository.commit({ 'old.md': '# Old\n\nStill.\n' }, 'More');
  expect(await sync(behind.folder, '--branch', 'main')).toMatchObject({ code: 0 });
  expect((await page('old')).markdown).toBe('# Old\n\nStill.\n');
  expect(await behind.git('rev-parse', 'main')).toBe((await repository.git('rev-parse', 'HEAD')).trim());
});

test('syncs shallow clones that contain only the latest commit', async () => {
  const { repository, sync, page, write } = await createSyncedRepository({ 'README.md': home });
  await repository.commit({ 'old.md': '# Old\n' }, 'Second');
  const first = await getClone(repository, '--depth=1');
  const begun = await sync(first.folder);
  expect(begun, begun.stderr).toMatchObject({ code: 0 });
  const [ofGit, ofBoth] = [home.replace('One', 'One of git'), home.replace('One', 'One of git').concat('\nFour.\n')];
  await write('README', `${home}\nFour.\n`);
  await repository.commit({ 'README.md': ofGit }, 'Third');
  const second = await getClone(repository, '--depth=1');
  const done = await sync(second.folder);
  expect(done, done.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Commit /m) });
  expect((await page('README')).markdown).toBe(ofBoth);
  expect(await repository.readFiles()).toEqual({ 'README.md': ofBoth, 'old.md': '# Old\n' });
  // A shallow clone that is behind fetches only the new commits.
  await repository.commit({ 'old.md': '# Old\n\nStill.\n' }, 'Fourth');
  expect(await sync(first.folder)).toMatchObject({ code: 0 });
  expect((await page('old')).markdown).toBe('# Old\n\nStill.\n');
  for (const { git, folder } of [first, second]) {
    expect(await sync(folder)).toMatchObject({ code: 0, stdout: 'No changes.\n' });
    expect(await git('rev-parse', 'HEAD')).toBe((await repository.git('rev-parse', 'HEAD')).trim());
    expect(await git('rev-parse', '--is-shallow-repository')).toBe('true');
  }
});

test('without a common history, each difference is a conflict until it is resolved', async () => {
  const { space, repository, sync, page, held, env } = await createSyncedRepository({
    'README.md': home.replace('One', 'One of git'),
    'a.md': '# A\n',
    'b.md': '# B\n\nOf git.\n',
    'i.png': Buffer.from('image of git'),
    '.gitbook/vars.yaml': 'name: git\nonly: 1\n',
    '.gitbook/includes/x.md': 'Included by git.\n',
  });
  await octavo(
    env,
    'import',
    await writeTree({
      'README.md': home,
      'a.md': '# A\n',
      'b.md': '# B\n\nOf Octavo.\n',
      'i.png': Buffer.from('image'),
      '.gitbook/vars.yaml': 'name: octavo\n',
      '.gitbook/includes/x.md': 'Included.\n',
    }),
    '--space',
    space.id,
  );
  await makePage(space, 'Only here', 'Text.\n');
  const before = (await page('README')).markdown;
  expect(before).toBe(home);
  const lines = ['page Home: document', 'page B: document', 'file i.png: bytes', 'variable name: value'];
  const named = expect.stringMatching(new RegExp(lines.map((line) => `conflict: ${line}`).join('[\\s\\S]*')));
  const dry = await sync(undefined, '--dry-run');
  expect(dry).toMatchObject({ code: 1, stderr: named, stdout: expect.stringContaining('would be applied') });
  expect(await held()).toEqual([]);
  const first = await sync(undefined, '--yes');
  expect(first).toMatchObject({ code: 1, stderr: named });
  expect(await repository.readFiles()).toMatchObject({
    'README.md': home,
    'a.md': '# A\n',
    'b.md': '# B\n\nOf Octavo.\n',
    'i.png': 'image',
    'only-here.md': '# Only here\n\nText.\n',
    '.gitbook/vars.yaml': 'name: octavo\nonly: 1\n',
    '.gitbook/includes/x.md': 'Included.\n',
  });
  const again = await sync();
  expect(again).toMatchObject({ code: 1, stdout: 'No changes.\n' });
  expect(again.stderr).toContain('unresolved: change request');
  const [conflict] = await held();
  expect((await held()).map(({ subject }) => subject)).toEqual([expect.stringContaining('Conflict: first')]);
  expect((await page('README', `/change-requests/${conflict?.id}`)).markdown).toContain('One of git');

  expect((await merge(space, conflict?.id ?? '')).status).toBe(200);
  const merged = await sync();
  expect(merged, merged.stderr).toMatchObject({ code: 0 });
  expect(await repository.readFiles()).toMatchObject({
    'README.md': home.replace('One', 'One of git'),
    'i.png': 'image of git',
    '.gitbook/includes/x.md': 'Included by git.\n',
    '.gitbook/vars.yaml': 'name: git\nonly: 1\n',
  });
});
