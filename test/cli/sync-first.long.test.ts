import { expect, test } from 'vitest';
import { createDivergedSides, ofGit, ofSpace } from './synced-repository.ts';

test('--from repository replaces the content of the space with that of the repository', async () => {
  const { sync, repository, page, write } = await createDivergedSides();
  expect(await sync(undefined, '--from', 'repository')).toMatchObject({ code: 0 });
  expect(await repository.readFiles()).toEqual(ofGit);
  expect((await page('README')).markdown).toBe(ofGit['README.md']);
  await expect(page('only-here')).rejects.toThrow('404');
  expect(await sync()).toMatchObject({ code: 0, stdout: 'No changes.\n' });
  await write('README', '# Home\n\nLater.\n');
  expect(await sync()).toMatchObject({ code: 0 });
  expect(await repository.readFiles()).toEqual({ ...ofGit, 'README.md': '# Home\n\nLater.\n' });
});

test('--from space replaces the content of the repository, but keeps files that only the repository has', async () => {
  const { sync, repository, page, revision } = await createDivergedSides();
  const before = await revision();
  expect(await sync(undefined, '--from', 'space')).toMatchObject({ code: 0 });
  const files = { ...ofGit, ...ofSpace, 'only-here.md': '# Only here\n\nText.\n' };
  expect(await repository.readFiles()).toEqual(files);
  expect(await revision()).toBe(before);
  await repository.commit({ 'README.md': '# Home\n\nLater.\n' }, 'Later');
  expect(await sync()).toMatchObject({ code: 0 });
  expect((await page('README')).markdown).toBe('# Home\n\nLater.\n');
});
