import { expect, test } from 'vitest';
import { edit, json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { octavo } from './octavo.ts';
import { createSyncedRepository, SyncedRepository } from './synced-repository.ts';

interface Listed {
  id: string;
  title: string;
  git?: { path: string };
  pages: Listed[];
}

test("writes a page created in Octavo to the docs folder, and keeps it there when its parent's file moves", async () => {
  const space = await platform().makeSpace();
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  const files = {
    'mkdocs.yml': 'nav:\n  - index.md\n  - guide.md\n',
    'docs/index.md': '# Home\n',
    'docs/guide.md': '# Guide\n',
  };
  const repository = await SyncedRepository.make(files);
  const sync = () => octavo(env, 'sync', repository.bare, '--space', space.id);
  const readPages = async () => (await json<{ pages: Listed[] }>(`/v1/spaces/${space.id}/content/pages`, space)).pages;
  await sync();
  const guide = (await readPages()).find(({ title }) => title === 'Guide');
  await edit(space, [{ operation: 'insert_page', title: 'New', document: { markdown: '# New\n' }, into: guide?.id }]);
  const first = await sync();
  expect(first).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^warning: docs\/guide\/new\.md: .*mkdocs\.yml/m),
  });
  expect(await repository.readFiles()).toEqual({ ...files, 'docs/guide/new.md': '# New\n' });

  await repository.git('mv', 'docs/guide.md', 'docs/handbook.md');
  await repository.commit({ 'mkdocs.yml': 'nav:\n  - index.md\n  - handbook.md\n' }, 'Rename');
  for (let round = 0; round < 2; round += 1) {
    expect(await sync()).toMatchObject({ code: 0 });
    expect(Object.keys(await repository.readFiles())).toEqual([
      'docs/guide/new.md',
      'docs/handbook.md',
      'docs/index.md',
      'mkdocs.yml',
    ]);
  }
  const below = (await readPages()).find(({ title }) => title === 'Guide')?.pages;
  expect(below).toMatchObject([{ title: 'New' }]);
});

test('changes around an unlisted page do not change its position in Octavo', async () => {
  const { space, repository, sync, at } = await createSyncedRepository({
    'mkdocs.yml': 'nav:\n  - index.md\n  - guide.md\n',
    'docs/index.md': '# Home\n',
    'docs/guide.md': '# Guide\n',
  });
  const readTree = async () => {
    const { pages } = await json<{ pages: Listed[] }>(at('/content/pages'), space);
    return pages.map(({ title, pages: below = [] }) => [title, ...below.map((page) => page.title)].join(' > '));
  };
  await sync();
  const changes = [
    { operation: 'insert_group', title: 'Group', ref: 'group' },
    { operation: 'insert_page', title: 'Inside', document: { markdown: '# Inside\n' }, into: 'group' },
  ];
  await edit(space, changes);
  expect((await sync()).code).toBe(0);
  expect(await repository.readFiles()).toMatchObject({ 'docs/group/inside.md': '# Inside\n' });
  await repository.commit({ 'docs/aaa.md': '# Aaa\n' }, 'Another');
  await sync();
  expect(await readTree()).toEqual(expect.arrayContaining(['Home', 'Guide', 'Aaa', 'Group > Inside']));
  await repository.pull();
  await repository.commit({ 'docs/aaa.md': null }, 'Gone');
  await sync();
  expect(await readTree()).toEqual(['Home', 'Guide', 'Group > Inside']);
});
