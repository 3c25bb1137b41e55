import { expect, test } from 'vitest';
import { json, makePage } from '../support/content.ts';
import { octavo, writeTree } from './octavo.ts';
import { standing } from './synced-repository.ts';

const ofGit = { 'README.md': '# Home\n\nOf git.\n', 'only-git.md': '# Only git\n', 'src/program.js': 'code\n' };
const ofSpace = { 'README.md': '# Home\n\nOf Octavo.\n', 'img.gif': 'image' };

/** Makes a repository and a space with different content and no common state. */
async function apart() {
  const world = await standing(ofGit);
  const { env, space, at } = world;
  await octavo(env, 'import', await writeTree(ofSpace), '--space', space.id);
  await makePage(space, 'Only here', 'Text.\n');
  const revision = async () => (await json<{ revision: string }>(at(''), space)).revision;
  return { ...world, revision };
}

test('--from repository makes the space what the repository is', async () => {
  const { sync, repository, page, write } = await apart();
  expect(await sync(undefined, '--from', 'repository')).toMatchObject({ code: 0 });
  expect(await repository.files()).toEqual(ofGit);
  expect((await page('README')).markdown).toBe(ofGit['README.md']);
  await expect(page('only-here')).rejects.toThrow('404');
  expect(await sync()).toMatchObject({ code: 0, stdout: 'No changes.\n' });
  await write('README', '# Home\n\nLater.\n');
  expect(await sync()).toMatchObject({ code: 0 });
  expect(await repository.files()).toEqual({ ...ofGit, 'README.md': '# Home\n\nLater.\n' });
});

test('--from space makes the repository what the space is, and leaves files that only it has', async () => {
  const { sync, repository, page, revision } = await apart();
  const before = await revision();
  expect(await sync(undefined, '--from', 'space')).toMatchObject({ code: 0 });
  const files = { ...ofGit, ...ofSpace, 'only-here.md': '# Only here\n\nText.\n' };
  expect(await repository.files()).toEqual(files);
  expect(await revision()).toBe(before);
  await repository.commit({ 'README.md': '# Home\n\nLater.\n' }, 'Later');
  expect(await sync()).toMatchObject({ code: 0 });
  expect((await page('README')).markdown).toBe('# Home\n\nLater.\n');
});
