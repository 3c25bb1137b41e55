import { expect, test } from 'vitest';
import { toWebAddress } from '../../packages/cli/src/sync/report-repository.ts';
import { json } from '../support/content.ts';
import { octavo } from './octavo.ts';
import { createDivergedSides, createSyncedRepository, ofGit } from './synced-repository.ts';

test('asks for a direction, and changes nothing, if both sides have content at the first sync', async () => {
  const { sync, repository, revision, held } = await createDivergedSides();
  const before = await revision();
  for (const options of [[], ['--review']]) {
    const { code, stdout, stderr } = await sync(undefined, ...options);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/--from repository[\s\S]*--from space[\s\S]*--yes/)]);
    expect(stdout).toMatch(/1 only in the repository\n {4}only-git\.md\n/);
    expect(stdout).toMatch(/2 only in the space\n {4}only-here\.md\n {4}img\.gif\n/);
    expect(stdout).toMatch(/1 different on both sides\n {4}README\.md\n/);
  }
  expect((await sync(undefined, '--dry-run')).stdout).toContain('1 only in the repository');
  expect(await repository.readFiles()).toEqual(ofGit);
  expect([await revision(), await held()]).toEqual([before, []]);
  expect(await sync(undefined, '--from', 'both')).toMatchObject({ code: 2 });
});

test('needs no direction if one side is empty or both have the same content', async () => {
  const { env, space, sync, repository } = await createSyncedRepository(ofGit);
  await octavo(env, 'import', repository.clone, '--space', space.id);
  expect(await sync()).toMatchObject({ code: 0, stdout: 'No changes.\n' });
});

test('reports the URL, branch and root folder of the repository to the space, without credentials', async () => {
  const { space, sync, repository, at } = await createSyncedRepository({ 'docs/README.md': '# Home\n' });
  const readGitSync = async () => (await json<{ gitSync?: object }>(at(''), space)).gitSync;
  expect(await sync(undefined, '--root', 'docs')).toMatchObject({ code: 0 });
  expect(await readGitSync()).toBeUndefined();

  const address = 'https://ann:secret@github.com/acme/docs.git';
  await repository.git('pull', '-q', '--ff-only');
  await repository.git('config', 'remote.origin.url', address);
  await repository.git('config', `url.${repository.bare}.insteadOf`, address);
  expect(await sync(repository.clone, '--root', 'docs', '--dry-run')).toMatchObject({ code: 0 });
  expect(await readGitSync()).toBeUndefined();
  expect(await sync(repository.clone, '--root', 'docs')).toMatchObject({ code: 0 });
  const gitSync = await readGitSync();
  expect(gitSync).toMatchObject({ repository: 'https://github.com/acme/docs.git', branch: 'main', root: 'docs' });
  expect(gitSync).toMatchObject({ repoName: 'acme/docs', url: 'https://github.com/acme/docs/blob/main/docs' });
});

test.each([
  ['git@gitlab.example.com:team/docs.git', 'https://gitlab.example.com/team/docs.git'],
  ['ssh://git@git.example.com:2222/team/docs', 'https://git.example.com/team/docs'],
  ['https://token@git.example.com/team/docs/', 'https://git.example.com/team/docs'],
  ['http://git.example.com:3000/docs?x=1', 'http://git.example.com:3000/docs'],
  ['file:///srv/docs.git', undefined],
  ['/srv/docs.git', undefined],
  ['../docs', undefined],
])('returns, for the repository %s, the browser URL %s', (address, expected) => {
  expect(toWebAddress(address)).toBe(expected);
});
