import { expect, test } from 'vitest';
import { createPublishedSite, resolve } from '../../publishing/resolution/site-world.ts';
import { json } from '../../support/content.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { readLogLines } from '../../support/log.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import type { FoundSpace } from '../../support/search.ts';
import { setDeletedDaysAgo, waitForAllJobs as settledAll } from '../retention/trash.ts';
import type { Change } from '../space-client.ts';
import { getClient } from '../space-client.ts';
import type { PageHit } from './including-world.ts';
import {
  createIncludingSpace,
  createPage,
  expectComplete,
  include,
  insertContent,
  pagesPerStep,
  readSteps,
  waitUntilIdle,
} from './including-world.ts';

const server = platform();

test('finds a page by an included text, with the heading above it and the text around it', async () => {
  const world = await createIncludingSpace([
    insertContent('note', 'Beware of the walrus.\n'),
    createPage('Zoo', `Intro\n\n## Animals\n\nBefore.\n\n${include('note.md')}\nAfter.\n`),
    createPage('Other', 'text'),
  ]);

  expect(await world.find('walrus')).toMatchObject([
    {
      title: 'Zoo',
      sections: [{ title: 'Animals', path: 'zoo#animals', body: 'Before. Beware of the walrus. After.' }],
    },
  ]);
});

test('links to headings in an included text', async () => {
  const world = await createIncludingSpace([
    insertContent('note', '## Animals\n\nA walrus.\n'),
    createPage('Zoo', `## Animals\n\nA lion.\n\n${include('note.md')}`),
  ]);
  const [found] = await world.find('walrus');

  expect(found?.sections).toMatchObject([{ title: 'Animals', path: 'zoo#animals-2', body: 'A walrus.' }]);
});

test('follows edits, deletion and restoration of a nested content', async () => {
  const world = await createIncludingSpace([
    insertContent('inner', 'A walrus.\n'),
    insertContent('outer', `Outer.\n\n${include('inner.md')}`),
    createPage('One', include('outer.md')),
    createPage('Two', `Two\n\n${include('inner.md')}`),
    createPage('Three', 'Three'),
  ]);
  expect(await world.titles('walrus')).toEqual(['One', 'Two']);

  await world.write('inner', 'A penguin.\n');
  expect(await world.titles('walrus')).toEqual([]);
  expect(await world.titles('penguin')).toEqual(['One', 'Two']);

  await world.write('outer', 'Only outer.\n');
  expect(await world.titles('penguin')).toEqual(['Two']);
  await world.write('outer', include('inner.md'));
  expect(await world.titles('penguin')).toEqual(['One', 'Two']);

  await world.remove('inner');
  expect(await world.titles('penguin')).toEqual([]);
  expect(await world.titles('outer')).toEqual([]);

  await world.change([insertContent('inner', 'A heron.\n')]);
  expect(await world.titles('heron')).toEqual(['One', 'Two']);
  await world.write('inner', 'A stork.\n');
  expect(await world.titles('heron')).toEqual([]);
  expect(await world.titles('stork')).toEqual(['One', 'Two']);
  await expectComplete(world);
});

test('finds a content that was created after the page', async () => {
  const world = await createIncludingSpace([createPage('Early', `Early\n\n${include('late.md')}`)]);
  await world.change([insertContent('late', `A walrus.\n\n${include('later.md')}`)]);
  expect(await world.titles('walrus')).toEqual(['Early']);

  await world.change([insertContent('later', 'A penguin.\n')]);
  expect(await world.titles('penguin')).toEqual(['Early']);
  await world.write('later', 'A heron.\n');
  expect(await world.titles('penguin')).toEqual([]);
  expect(await world.titles('heron')).toEqual(['Early']);

  const move = { operation: 'update_reusable_content', reusableContent: await world.getId('later') };
  await world.change([{ ...move, git: { path: 'moved.md' } }]);
  expect(await world.titles('heron')).toEqual([]);
  await expectComplete(world);
});

test('finds the text of files that a page includes in the syntax of other tools', async () => {
  const git = { path: 'docs/p.md', links: { '../src/a.rs': 'src/a.rs' } };
  const world = await createIncludingSpace([
    { ...insertContent('code', 'fn walrus() {}\n'), git: { path: 'src/a.rs' } },
    createPage('Code', '```rust\n{{#include ../src/a.rs}}\n```\n', { git }),
  ]);
  expect(await world.find('walrus')).toMatchObject([{ title: 'Code', sections: [{ body: 'fn walrus() {}' }] }]);

  await world.write('code', 'fn penguin() {}\n');
  expect([await world.titles('walrus'), await world.titles('penguin')]).toEqual([[], ['Code']]);
  await world.remove('code');
  expect(await world.titles('penguin')).toEqual([]);
  await expectComplete(world);
});

test('does not find the text of a change request before it is merged', async () => {
  const world = await createIncludingSpace([
    insertContent('note', 'A walrus.\n'),
    createPage('Zoo', include('note.md')),
  ]);
  const branch = await world.space.open();
  const reusableContent = await world.getId('note');
  await world.space.change(
    [{ operation: 'update_reusable_content', reusableContent, document: { markdown: 'A penguin.\n' } }],
    branch,
  );
  await waitUntilIdle(world.organization);
  expect([await world.titles('walrus'), await world.titles('penguin')]).toEqual([['Zoo'], []]);

  expect((await world.space.merge(branch)).body.result).toBe('merge');
  await waitUntilIdle(world.organization);
  expect([await world.titles('walrus'), await world.titles('penguin')]).toEqual([[], ['Zoo']]);
});

test('visitors find an included text only under the conditions of the page, the include and the text', async () => {
  const has = (name: string) => `visitor.claims.unsigned.${name}`;
  const wrapInCondition = (name: string, markdown: string) => `{% if ${has(name)} %}\n${markdown}\n{% endif %}\n`;
  const world = await createIncludingSpace([
    insertContent('note', `A walrus.\n\n${wrapInCondition('b', 'A penguin.\n')}`),
    insertContent('broken', `A heron.\n\n{% if ${has('a')} %}\n\nA stork.\n`),
    createPage('Open', include('note.md')),
    createPage('Part', `Start.\n\n${wrapInCondition('a', include('note.md'))}`),
    createPage('Closed', include('note.md'), { condition: has('a') }),
    createPage('Unlisted', include('note.md'), { noIndex: true }),
    createPage('Broken', `Part of all.\n\n${wrapInCondition('a', include('broken.md'))}\nThe end.\n`),
  ]);
  const site = await createPublishedSite({ organization: world.organization, spaces: [world.space.space] });
  const find = async (words: string, claims: string[]) => {
    const unsignedClaims = Object.fromEntries(claims.map((name) => [name, true]));
    const { apiToken: token } = await resolve(site.base, { visitor: { type: 'public', unsignedClaims } });
    const body = { query: words, scope: { mode: 'all' } };
    const { items } = await json<{ items: FoundSpace[] }>(
      `${site.path}/search`,
      { token, method: 'POST', body },
      server,
    );
    return items.flatMap(({ pages }) => pages.map(({ title }) => title)).toSorted();
  };

  expect(await world.titles('walrus')).toEqual(['Closed', 'Open', 'Part']);
  expect(await find('walrus', [])).toEqual(['Open']);
  expect(await find('penguin', [])).toEqual([]);
  expect(await find('penguin', ['b'])).toEqual(['Open']);
  expect(await find('walrus', ['a'])).toEqual(['Closed', 'Open', 'Part']);
  expect(await find('penguin', ['a'])).toEqual([]);
  expect(await find('penguin', ['a', 'b'])).toEqual(['Closed', 'Open', 'Part']);
  expect(await find('heron', [])).toEqual([]);
  expect(await find('heron', ['a'])).toEqual(['Broken']);
  expect(await find('stork', ['a'])).toEqual([]);

  await world.write('note', wrapInCondition('b', 'A walrus.\n'));
  expect(await find('walrus', ['a'])).toEqual([]);
  expect(await find('walrus', ['a', 'b'])).toEqual(['Closed', 'Open', 'Part']);
});

test('a copy of a space has separate reusable contents', async () => {
  const world = await createIncludingSpace([
    insertContent('note', 'A walrus.\n'),
    createPage('Zoo', include('note.md')),
  ]);
  const { organization, space } = world;
  const { token } = organization;
  const { id } = await json<{ id: string }>(`/v1/spaces/${space.space}/duplicate`, { token, method: 'POST' }, server);
  await waitUntilIdle(organization);
  const copy = getClient(server, { id, token });
  const searchCopy = async (words: string) =>
    (await copy.callJson<{ items: PageHit[] }>(`/search?query=${words}`)).items.length;
  expect(await searchCopy('walrus')).toBe(1);

  await world.write('note', 'A penguin.\n');
  expect([await world.titles('penguin'), await searchCopy('penguin'), await searchCopy('walrus')]).toEqual([
    ['Zoo'],
    0,
    1,
  ]);

  await copy.change([
    {
      ...{ operation: 'update_reusable_content', reusableContent: (await copy.head()).reusableContents[0]?.id ?? '' },
      document: { markdown: 'A heron.\n' },
    },
  ]);
  await waitUntilIdle(organization);
  expect([await searchCopy('heron'), await searchCopy('walrus'), await world.titles('heron')]).toEqual([1, 0, []]);
});

test('an edit of a content that many pages include is indexed in limited steps', async () => {
  const count = 60;
  const world = await createIncludingSpace([insertContent('note', 'A walrus.\n')]);
  for (let start = 0; start < count; start += 30)
    await world.change(
      Array.from({ length: 30 }, (_, index) =>
        createPage(`Page ${start + index}`, `own${index}\n\n${include('note.md')}`),
      ),
    );
  const before = readSteps(world);
  await world.write('note', 'A penguin.\n');
  expect(await world.titles('walrus')).toEqual([]);
  expect(await world.titles('penguin')).toHaveLength(count);
  const steps = readSteps(world).filter((id) => !before.includes(id));
  expect(steps).toHaveLength(Math.ceil(count / pagesPerStep));

  interface Handled {
    event: string;
    rowsRead: number;
    rowsWritten: number;
  }
  const costs = await until(() => {
    const lines = readLogLines<Handled>(server.dataDir, '"event handled"').filter(({ event }) => steps.includes(event));
    return lines.length >= steps.length ? lines : undefined;
  });
  for (const { rowsRead, rowsWritten } of costs) {
    expect(rowsRead).toBeLessThan(pagesPerStep * 70);
    expect(rowsWritten).toBeLessThan(pagesPerStep * 3);
  }
});

test('pages with an include that was not found are indexed again only if a content is new or has a new path', async () => {
  const count = 30;
  const world = await createIncludingSpace([insertContent('note', 'A walrus.\n'), insertContent('other', 'A lion.\n')]);
  await world.change(
    Array.from({ length: count }, (_, index) => createPage(`Page ${index}`, `own${index}\n\n${include('missing.md')}`)),
  );
  const countSteps = async (change: () => Promise<unknown>) => {
    const before = readSteps(world).length;
    await change();
    await waitUntilIdle(world.organization);
    return readSteps(world).length - before;
  };
  const all = Math.ceil(count / pagesPerStep);
  const { space } = world;
  const update = { operation: 'update_reusable_content', reusableContent: await world.getId('note') };
  const merge = async (change: Change) => {
    const branch = await space.open();
    await space.change([change], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
  };

  expect(await countSteps(() => world.write('note', 'A penguin.\n'))).toBe(1);
  expect(await countSteps(() => world.change([{ ...update, title: 'note' }]))).toBe(0);
  expect(await countSteps(() => world.remove('other'))).toBe(1);
  expect(await countSteps(() => merge({ ...update, document: { markdown: 'A heron.\n' } }))).toBe(1);

  expect(await countSteps(() => world.change([insertContent('third', 'A stork.\n')]))).toBe(all);
  expect(await countSteps(() => merge(insertContent('fourth', 'A stork.\n')))).toBe(all);
  expect(await world.titles('heron')).toEqual([]);
  expect(await countSteps(() => merge({ ...update, git: { path: 'missing.md' } }))).toBeGreaterThanOrEqual(all);
  expect(await world.titles('heron')).toHaveLength(count);
});

test('finds a content that was too long to be included after it is shortened', async () => {
  const names = ['one', 'two', 'three'];
  const world = await createIncludingSpace();
  for (const name of names) await world.change([insertContent(name, `Long ${name}. ${'word '.repeat(150_000)}`)]);
  await world.change([createPage('Zoo', names.map((name) => include(`${name}.md`)).join('\n'))]);
  const ids = await Promise.all(names.map(async (name) => ({ name, id: await world.getId(name) })));
  // Contents are read in the order of their ids.
  const last = ids.toSorted((one, other) => (one.id < other.id ? -1 : 1)).at(-1)?.name ?? '';
  expect(await world.titles(last)).toEqual([]);

  await world.write(last, 'A walrus.\n');
  expect(await world.titles('walrus')).toEqual(['Zoo']);
});

test('the texts and inclusions of a purged space are deleted, and those of a restored one are kept', async () => {
  const world = await createIncludingSpace([
    insertContent('note', 'A walrus.\n'),
    createPage('Zoo', include('note.md')),
  ]);
  const { id, token } = { id: world.space.space, token: world.organization.token };
  const count = () =>
    ['search_includes WHERE space = ?1', "search_texts WHERE key > ?1 || '/' AND key < ?1 || '0'"].map(
      (from) => queryDatabase<{ count: number }>(server.dataDir, `SELECT COUNT(*) AS count FROM ${from}`, id)[0]?.count,
    );
  expect(count()).toEqual([1, 1]);
  await world.write('note', 'A penguin.\n');
  expect(count()).toEqual([1, 1]);
  expect((await server.request(`/v1/spaces/${id}`, { token, method: 'DELETE' })).status).toBe(205);
  expect((await server.request(`/v1/spaces/${id}/restore`, { token, method: 'POST' })).status).toBe(200);
  expect(await world.titles('penguin')).toEqual(['Zoo']);

  expect((await server.request(`/v1/spaces/${id}`, { token, method: 'DELETE' })).status).toBe(205);
  await setDeletedDaysAgo(server, id, 8);
  await writeDatabase(
    server,
    "INSERT INTO outbox (id, type, actor, request_id, data, created_at, sent_at) VALUES ('evt_sweep_includes', 'sweep_expired', '', '', '{}', 0, 0)",
  );
  await settledAll(server);
  expect(count()).toEqual([0, 0]);
});

test('a transferred space is found in its new organization, with later edits of its contents', async () => {
  const world = await createIncludingSpace([
    insertContent('note', 'A walrus.\n'),
    createPage('Zoo', include('note.md')),
  ]);
  const { organization } = world;
  const to = await server.makeOrganization();
  const member = "INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, 'admin', 1)";
  await writeDatabase(server, member, to.id, organization.user);
  const transfer = { token: organization.token, body: { organization: to.id } };
  expect((await server.request(`/v1/spaces/${world.space.space}/transfer`, transfer)).status).toBe(200);
  await waitUntilIdle(organization);
  await waitUntilIdle(to);
  expect(await world.titles('walrus')).toEqual(['Zoo']);

  await world.write('note', 'A penguin.\n');
  await waitUntilIdle(to);
  expect([await world.titles('walrus'), await world.titles('penguin')]).toEqual([[], ['Zoo']]);
});

test('rejects an index update that read the former text of a changed content', async () => {
  const { organization, change } = await createIncludingSpace([createPage('Zoo', 'text')]);
  const getVersion = () =>
    queryDatabase<{ version: number }>(
      server.dataDir,
      'SELECT version FROM search_indexes WHERE organization = ?',
      organization.id,
    )[0]?.version ?? 0;
  const before = getVersion();
  await change([insertContent('note', 'A walrus.\n')]);
  expect(getVersion()).toBe(before + 1);
});

test('a change request finds the text of the contents that it changes', async () => {
  const world = await createIncludingSpace([
    insertContent('note', 'Beware of the walrus.\n'),
    createPage('Zoo', `Intro\n\n${include('note.md')}`),
    createPage('Other', 'A walrus.'),
  ]);
  const { space } = world;
  const branch = await space.open();
  const reusableContent = await world.getId('note');
  await space.change(
    [{ operation: 'update_reusable_content', reusableContent, document: { markdown: 'Look, a penguin.' } }],
    branch,
  );
  const find = async (words: string) => {
    const { items } = await space.callJson<{ items: PageHit[] }>(`/change-requests/${branch}/search?query=${words}`);
    return items.map(({ title }) => title);
  };

  expect(await find('penguin')).toEqual(['Zoo']);
  expect(await find('walrus')).toEqual(['Other']);
  expect(await world.titles('penguin')).toEqual([]);
  await world.write('note', 'A heron.\n');
  expect(await find('penguin')).toEqual(['Zoo']);
  expect(await find('heron')).toEqual([]);
});

test('a search in a change request reads a limited length of included texts', async () => {
  const world = await createIncludingSpace([insertContent('note', `walrus ${'words '.repeat(20_000)}`)]);
  const { space } = world;
  const branch = await space.open();
  await space.change(
    Array.from({ length: 5 }, (_, number) =>
      createPage(`Page ${number}`, `penguin ${number}\n\n${include('note.md')}`),
    ),
    branch,
  );
  const count = async (words: string) =>
    (await space.callJson<{ items: PageHit[] }>(`/change-requests/${branch}/search?query=${words}`)).items.length;

  expect(await count('walrus')).toBe(2);
  expect(await count('penguin')).toBe(5);
});
