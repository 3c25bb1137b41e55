import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage, searchSpace } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getCollections } from '../collections/collection-client.ts';
import { flatten, getClient, insertPage, writePage } from '../space-client.ts';
import type { TestSpaceItem } from './space-life.ts';
import { getLifecycles } from './space-life.ts';

async function createSource() {
  const organization = await platform().makeOrganization();
  const lives = getLifecycles(organization);
  const { id: parent } = await getCollections(organization).make();
  const source = await lives.make({ title: 'Guide', emoji: '🦦', parent });
  return { organization, lives, parent, source, token: organization.token };
}

const createClient = (id: string, token: string) => getClient(platform(), { id, token });

test('copies the pages, title, emoji and position of the source, but not its history', async () => {
  const { organization, lives, parent, source, token } = await createSource();
  const content = createClient(source.id, token);
  await content.change([insertPage('One', { ref: 'one' }), insertPage('Two', { into: 'one' })]);
  await makeChangeRequest({ id: source.id, token });
  await lives.patch(source.id, { editMode: 'locked' });

  const response = await lives.duplicate(source.id);

  expect(response.status).toBe(201);
  const copy = (await response.json()) as TestSpaceItem;
  expect(copy).toEqual(await lives.get(copy.id));
  expect(copy).toMatchObject({
    ...{ title: 'Guide', emoji: '🦦', parent, organization: organization.id, editMode: 'locked', defaultLevel: null },
    ...{ visibility: 'in-collection', changeRequests: 0, comments: 0 },
  });
  expect(copy.id).not.toBe(source.id);
  const copied = createClient(copy.id, token);
  expect(flatten(await copied.pages()).map(({ title }) => title)).toEqual(['One', 'Two']);
  const { urls: _, ...head } = (await copied.head()) as unknown as Record<string, unknown>;
  expect(head).toMatchObject({ parents: [], type: 'edits', variables: (await content.head()).variables });
  expect(query('SELECT kind FROM versions WHERE branch = ?', copy.id)).toEqual([]);
  expect(query("SELECT data FROM outbox WHERE space = ? AND type = 'space.duplicated'", copy.id)).toEqual([
    { data: JSON.stringify({ source: source.id }) },
  ]);
});

test('changes of the copy and of the source are independent', async () => {
  const { lives, source, token } = await createSource();
  const content = createClient(source.id, token);
  const [untouchedPage = '', edited = '', gone = ''] = await content.change(
    ['Kept', 'Edited', 'Gone'].map((title) => insertPage(title)),
  );
  const copied = createClient((await lives.copy(source.id)).id, token);
  const branch = await copied.open();

  await content.change([
    writePage(edited, 'In the source.\n'),
    insertPage('Late'),
    { operation: 'delete_page', page: untouchedPage },
  ]);
  await copied.change([{ operation: 'delete_page', page: gone }]);
  await copied.change([writePage(edited, 'In the copy.\n')], branch);
  expect((await copied.merge(branch)).body).toMatchObject({ result: 'merge' });

  const readText = async (of: typeof content) =>
    (await of.callJson<{ markdown: string }>(`/content/page/${edited}?format=markdown`)).markdown;
  const listTitles = async (of: typeof content) => (await of.pages()).map(({ title }) => title);
  expect([await readText(content), await readText(copied)]).toEqual(['In the source.\n', 'In the copy.\n']);
  expect(await listTitles(content)).toEqual(['Edited', 'Gone', 'Late']);
  expect(await listTitles(copied)).toEqual(['Kept', 'Edited']);
});

test('finds all pages of the copy, and its later edits', async () => {
  const { lives, source, token } = await createSource();
  const content = createClient(source.id, token);
  const pages = await content.change(Array.from({ length: 40 }, (_, index) => insertPage(`Walrus ${index}`)));
  const copy = { id: (await lives.copy(source.id)).id, token };
  await edit(copy, [writePage(pages[0] ?? '', 'An ostrich.\n')]);

  await until(async () => ((await searchSpace(copy, 'walrus', '&limit=100')).count === 40 ? true : undefined));
  await until(async () => ((await searchSpace(copy, 'ostrich')).count === 1 ? true : undefined));
  expect((await searchSpace({ id: source.id, token }, 'ostrich')).count).toBe(0);
});

test('requires the right to create in the target', async () => {
  const { organization, lives, source, parent } = await createSource();
  const top = await lives.make();
  const caller = await platform().makeUser({ organization: organization.id, role: 'edit' });
  for (const { id } of [source, top]) await lives.grant(`spaces/${id}`, [caller.user], 'create');
  const mine = getLifecycles({ ...organization, ...caller });
  const count = () => query('SELECT COUNT(*) AS count FROM spaces WHERE organization = ?', organization.id);
  const before = count();

  for (const { id } of [source, top]) expect((await mine.duplicate(id)).status).toBe(403);
  expect(count()).toEqual(before);
  await lives.grant(`collections/${parent}`, [caller.user], 'create');
  expect((await mine.duplicate(source.id)).status).toBe(201);
  const reviewer = await platform().makeUser({ organization: organization.id, role: 'review' });
  expect((await getLifecycles({ ...organization, ...reviewer }).duplicate(top.id)).status).toBe(403);
  expect((await getLifecycles({ ...organization, ...(await platform().makeUser()) }).duplicate(top.id)).status).toBe(
    404,
  );
});

test('users without access to the source have no access to the copy', async () => {
  const { organization, parent } = await createSource();
  const { makeUser } = platform();
  const creator = await makeUser({ organization: organization.id, role: 'create' });
  const barred = await makeUser({ organization: organization.id, role: 'edit' });
  const mine = getLifecycles({ ...organization, ...creator });
  const [leveled, hidden, denied] = [await mine.make({ parent }), await mine.make(), await mine.make()];
  await mine.patch(leveled.id, { defaultLevel: 'create' });
  await mine.patch(hidden.id, { defaultLevel: 'none' });
  await mine.grant(`spaces/${denied.id}`, [barred.user], null);

  expect(await mine.copy(leveled.id)).toMatchObject({ defaultLevel: 'create', parent });
  const theirs = getLifecycles({ ...organization, ...barred });
  for (const { id } of [hidden, denied]) {
    const copy = await mine.copy(id);
    expect(copy).toMatchObject({ defaultLevel: 'none', permissions: { admin: true } });
    expect(await theirs.status(copy.id)).toBe(404);
  }
});

test('each copy made during edits of the source is a consistent snapshot', async () => {
  const { lives, source, token } = await createSource();
  const content = createClient(source.id, token);
  const [one = '', two = ''] = await content.change([insertPage('One'), insertPage('Two')]);
  const edits = (async () => {
    for (let n = 0; n < 15; n += 1) await content.change([writePage(one, `${n}\n`), writePage(two, `${n}\n`)]);
  })();
  const copies = await Promise.all(Array.from({ length: 10 }, () => lives.copy(source.id)));
  await edits;

  for (const { id } of copies) {
    const texts = await Promise.all(
      [one, two].map((page) =>
        json<{ markdown: string }>(`/v1/spaces/${id}/content/page/${page}?format=markdown`, { token }),
      ),
    );
    const [first, second] = texts.map(({ markdown }) => (/^\d+\n$/.test(markdown) ? markdown : 'as made'));
    expect(first).toBe(second);
  }
});

test('a page of the copy is kept when the source deletes it and is moved to the trash', async () => {
  const { lives, source, token } = await createSource();
  const page = await makePage({ id: source.id, token }, 'Kept', 'Words.\n');
  const { id } = await lives.copy(source.id);
  await lives.remove(source.id);

  expect(await json(`/v1/spaces/${id}/content/page/${page}?format=markdown`, { token })).toMatchObject({
    markdown: 'Words.\n',
  });
  expect(query('SELECT source, seq FROM lineage_sources WHERE space = ?', id)).toEqual([{ source: source.id, seq: 2 }]);
});
