import { expect, test } from 'vitest';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { makeOne } from '../links/link-client.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';

const find = async (space: SpaceClient, word: string) =>
  (await space.ok<{ items: { title: string }[] }>(`/search?query=${word}`)).items.map(({ title }) => title).sort();

const finds = (space: SpaceClient, word: string, titles: string[]) =>
  until(async () => (String(await find(space, word)) === String(titles) ? true : undefined));

const insertContent = (name: string, markdown: string) => ({
  operation: 'insert_reusable_content',
  title: name,
  document: { markdown },
  git: { path: `parts/${name}.md` },
});

test('search finds pages by the texts that they include, and follows changes of these texts', async () => {
  const server = platform();
  const space = getClient(server, await server.makeSpace());
  await space.change([
    insertContent('inner', 'the walrus\n'),
    insertContent('outer', 'the penguin\n\n{% include "inner.md" %}\n'),
    insertContent('lines', 'a gecko\n'),
  ]);
  const links = { '../parts/lines.md': 'parts/lines.md' };
  await makeOne(space, {
    ...insertPage('Tags', { document: { markdown: 'Some.\n\n{% include "../parts/outer.md" %}\n' } }),
    git: { path: 'docs/tags.md' },
  } as never);
  await makeOne(space, {
    ...insertPage('Lines', { document: { markdown: '{{#include ../parts/lines.md}}\n' } }),
    git: { path: 'docs/lines.md', links },
  } as never);
  await finds(space, 'penguin', ['Tags']);
  await finds(space, 'walrus', ['Tags']);
  await finds(space, 'gecko', ['Lines']);

  const { reusableContents } = await space.head();
  const ids = Object.fromEntries(reusableContents.map(({ id, title }) => [title, id]));
  const write = (name: string, markdown: string) => ({
    operation: 'update_reusable_content',
    reusableContent: ids[name],
    document: { markdown },
  });
  const branch = await space.open();
  await space.change([write('inner', 'the ostrich\n')], branch);
  expect(await find(space, 'ostrich')).toEqual([]);
  await space.ok(`/change-requests/${branch}/merge`, { method: 'POST' });
  await space.change([write('lines', 'a heron\n')]);
  await finds(space, 'ostrich', ['Tags']);
  await finds(space, 'heron', ['Lines']);
  expect([await find(space, 'walrus'), await find(space, 'gecko')]).toEqual([[], []]);

  await space.change([{ operation: 'delete_reusable_content', reusableContent: ids.outer } as never]);
  await finds(space, 'ostrich', []);
  await space.change([insertContent('outer', 'the condor\n')]);
  await finds(space, 'condor', ['Tags']);
});
