import { expect, test } from 'vitest';
import { octavo } from './octavo.ts';
import { apart, ofGit, standing } from './synced-repository.ts';

test('the first sync of two sides with content asks for a direction and changes nothing', async () => {
  const { sync, repository, revision, held } = await apart();
  const before = await revision();
  for (const options of [[], ['--review']]) {
    const { code, stdout, stderr } = await sync(undefined, ...options);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/--from repository[\s\S]*--from space[\s\S]*--yes/)]);
    expect(stdout).toMatch(/1 only in the repository\n {4}only-git\.md\n/);
    expect(stdout).toMatch(/2 only in the space\n {4}only-here\.md\n {4}img\.gif\n/);
    expect(stdout).toMatch(/1 different on both sides\n {4}README\.md\n/);
  }
  expect((await sync(undefined, '--dry-run')).stdout).toContain('1 only in the repository');
  expect(await repository.files()).toEqual(ofGit);
  expect([await revision(), await held()]).toEqual([before, []]);
  expect(await sync(undefined, '--from', 'both')).toMatchObject({ code: 2 });
});

test('sides with the same content, or an empty side, need no direction', async () => {
  const { env, space, sync, repository } = await standing(ofGit);
  await octavo(env, 'import', repository.clone, '--space', space.id);
  expect(await sync()).toMatchObject({ code: 0, stdout: 'No changes.\n' });
});
