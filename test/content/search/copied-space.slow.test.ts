import { expect, test } from 'vitest';
import { query, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { getLifecycles } from '../spaces/space-life.ts';

interface Hits {
  items: { title: string }[];
}

const server = platform();

const waitUntilIdle = (space: string) =>
  until(() => query('SELECT id FROM outbox WHERE space = ? AND done_at IS NULL', space).length === 0 || undefined);

const readLineage = (space: string): string =>
  query<{ lineage: string }>('SELECT lineage FROM revisions WHERE branch = ? ORDER BY seq DESC LIMIT 1', space)[0]
    ?.lineage ?? '';

/** Creates a space, a copy of it, a copy of the copy and so on. Returns the last copy, which reads this many branches. */
async function createCopy(branches: number): Promise<{ space: SpaceClient; pages: string[] }> {
  const organization = await server.makeOrganization();
  const { token } = organization;
  let space = getClient(server, await server.makeSpace({ organization }));
  const insert = (title: string, ref: string, more: object = {}) => ({
    ...insertPage(title, { ref, ...more }),
    document: { markdown: 'An otter.' },
  });
  const pages = await space.change([
    insert('Shown', 'shown'),
    { ...insert('Hidden', 'hidden'), noIndex: true },
    insert('Moved', 'moved', { into: 'shown' }),
    insert('Below moved', 'below', { into: 'moved' }),
    insert('Excluded', 'excluded'),
    insert('Below excluded', 'lower', { into: 'excluded' }),
    insert('Included', 'included', { into: 'hidden' }),
  ]);
  for (let count = 1; count < branches; count += 1) {
    const { id } = await getLifecycles(organization).copy(space.space);
    const lineage = readLineage(space.space);
    space = getClient(server, { id, token });
    await waitUntilIdle(id);
    // A space with too many branches is flattened. Restore the lineage that it has until then.
    await writeDatabase(
      server,
      "UPDATE revisions SET lineage = json('[[' || json_quote(branch) || ',' || seq || '],' || substr(?, 2)) WHERE branch = ?",
      ...[lineage, id],
    );
    await space.change([insert(`Own ${count}`, 'own', { into: pages[4] })]);
  }
  await waitUntilIdle(space.space);
  expect(JSON.parse(readLineage(space.space))).toHaveLength(branches);
  return { space, pages };
}

test.each([
  [4, 'copy of a copy of a copy'],
  [8, 'space with the most branches'],
  [9, 'copy that is not flattened yet'],
])('a change request on %i branches finds pages by its own exclusions: a %s', async (branches) => {
  const { space, pages } = await createCopy(branches);
  const [shown, hidden, moved, , excluded, , included] = pages;
  const branch = await space.open();
  const search = async (at = '') => {
    const { items } = await space.callJson<Hits>(`${at}/search?query=otter&limit=50`);
    return items.map(({ title }) => title).sort();
  };
  const own = Array.from({ length: branches - 1 }, (_, index) => `Own ${index + 1}`);
  expect(await search()).toEqual(['Below excluded', 'Below moved', 'Excluded', 'Moved', ...own, 'Shown']);

  await space.change(
    [
      { operation: 'update_page', page: excluded, noIndex: true },
      { operation: 'update_page', page: moved, into: hidden },
      { operation: 'update_page', page: included, into: shown },
    ],
    branch,
  );

  expect(await search(`/change-requests/${branch}`)).toEqual(['Included', 'Shown']);
  expect((await search()).length).toBe(5 + own.length);
  await space.change([{ operation: 'update_page', page: hidden, noIndex: false }], branch);
  expect(await search(`/change-requests/${branch}`)).toEqual(['Below moved', 'Hidden', 'Included', 'Moved', 'Shown']);
});
