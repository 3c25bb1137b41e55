import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getSample } from '../../support/random.ts';
import type { SpaceClient, TreePage } from '../space-client.ts';
import { flatten, getClient, insertPage } from '../space-client.ts';
import { conflictCases, seed } from './conflict-cases.ts';

let space: SpaceClient;

beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

/** Returns the state of the objects that are in conflict. */
async function getState(branch?: string): Promise<Record<string, unknown>> {
  const at = branch === undefined ? '' : `/change-requests/${branch}`;
  const { variables, reusableContents } = await space.head(branch);
  const { items } = await space.callJson<{ items: { id: string; name: string; size: number }[] }>(
    `${at}/content/files`,
  );
  const tree = flatten(await space.pages(branch));
  const pages = await Promise.all(tree.map(({ id }) => space.page(id, branch)));
  const texts = reusableContents.map(({ id }) => space.callJson<TreeText>(`${at}/content/reusable-contents/${id}`));
  return {
    pages: pages.map(({ path, title, emoji, hidden, markdown }) => ({ path, title, emoji, hidden, markdown })),
    files: items.map(({ name, size }) => ({ name, size })),
    variables,
    contents: (await Promise.all(texts)).map(({ title, markdown }) => ({ title, markdown })),
  };
}

type TreeText = { title: string; markdown?: string };

describe.each(getSample(conflictCases, 3))('%s', (name, field, of, mine, live) => {
  const isTitled = name === 'a page whose parent is gone here';

  async function createConflict() {
    const ids = await seed(space);
    const [kind, id] = of(ids);
    const branch = await space.open();
    await space.change(mine(ids), branch);
    const here = await getState(branch);
    await space.change(live(ids));
    return { branch, kind, id, here, there: await getState() };
  }

  test('stays unresolved after an update, and is neither merged nor lost', async () => {
    const { branch, kind, id, there } = await createConflict();
    const conflict = { kind, id, field };

    expect((await space.merge(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [conflict] });
    expect((await space.update(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [conflict] });
    expect(await space.undecided(branch)).toMatchObject([conflict]);
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await space.merge(branch)).toMatchObject({
        status: 409,
        body: { error: { type: 'conflict', conflicts: [conflict], message: expect.stringContaining(id) } },
      });
      await space.change([insertPage(`Elsewhere ${turn}`)]);
      expect((await space.update(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [conflict] });
      expect((await space.update(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [conflict] });
    }
    const { pages, ...others } = await getState();
    expect({ pages: (pages as unknown[]).slice(0, (there.pages as unknown[]).length), ...others }).toEqual(there);
  });

  test.each(['mine', 'live'] as const)('is resolved permanently by keeping %s', async (keep) => {
    const { branch, here, there, ...conflict } = await createConflict();
    await space.update(branch);
    await space.change([{ operation: 'resolve', ...conflict, field, keep }], branch);

    expect(await space.undecided(branch)).toEqual([]);
    expect((await space.update(branch)).body.result).toBe('update');
    const decided = await getState(branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    const merged = await getState();
    expect(merged).toEqual(decided);
    const resolvedField = { mine: here, live: isTitled ? setTitle(there, 'a/c/b', 'Mine') : there };
    expect(merged).toEqual(resolvedField[keep]);
  });
});

/** Sets the title of a page. Only the change request changed this title, so it is not in conflict. */
const setTitle = ({ pages, ...others }: Record<string, unknown>, path: string, title: string) => ({
  ...others,
  pages: (pages as TreePage[]).map((page) => (page.path === path ? { ...page, title } : page)),
});
