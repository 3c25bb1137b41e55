import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getCollections } from './collection-client.ts';

const runTimes = <Value>(count: number, make: (index: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const listStatuses = (responses: Response[]) => [...new Set(responses.map(({ status }) => status))].sort();

const listPositions = (organization: string, parent: string | null) =>
  query<{ position: string }>(
    `SELECT position FROM collections WHERE organization = ? AND parent IS ?
      UNION ALL SELECT position FROM spaces WHERE organization = ? AND parent IS ?`,
    organization,
    parent,
    organization,
    parent,
  ).map(({ position }) => position);

test('25 concurrent moves into each other never create a cycle', async () => {
  const organization = await platform().makeOrganization();
  const { make, move } = getCollections(organization);
  const collections = await runTimes(5, () => make());
  const ids = collections.map(({ id }) => id);

  const responses = await runTimes(25, (index) =>
    move(ids[index % 5] ?? '', { parent: ids[((index % 5) + 1 + (Math.floor(index / 5) % 4)) % 5] ?? '' }),
  );

  for (const status of listStatuses(responses)) expect([200, 409]).toContain(status);
  expect(listStatuses(responses)).toContain(200);
  const reached = query<{ id: string }>(
    `WITH RECURSIVE down(id) AS (
      SELECT id FROM collections WHERE organization = ?1 AND parent IS NULL
      UNION SELECT c.id FROM down CROSS JOIN collections c ON c.parent = down.id)
    SELECT id FROM down`,
    organization.id,
  );
  expect(reached.map(({ id }) => id).sort()).toEqual([...ids].sort());
});

/** Returns collections and spaces that are not deleted although their parent collection is. */
const findLiveInDeleted = (organization: string) =>
  query(
    `SELECT k.id FROM collections c CROSS JOIN (
      SELECT id, parent FROM collections WHERE deleted_at IS NULL
      UNION ALL SELECT id, parent FROM spaces WHERE deleted_at IS NULL
    ) k ON k.parent = c.id WHERE c.organization = ? AND c.deleted_at IS NOT NULL`,
    organization,
  );

/** Runs 75 requests, 25 at a time, and calls `between` once `answered` of them are complete. */
async function raceWithChange<Value>(
  answered: number,
  make: (index: number) => Promise<Value>,
  between: () => Promise<unknown>,
): Promise<Value[]> {
  const values: Value[] = [];
  let started: Promise<unknown> | undefined;
  await runTimes(25, async (index) => {
    for (let turn = 0; turn < 3; turn += 1) {
      values.push(await make(index));
      if (values.length === answered) started = between();
    }
  });
  await started;
  return values;
}

const rounds = [5, 12, 20, 28, 36];

test.each(rounds)(
  'leaves nothing live in a parent that is deleted after %i of 25 concurrent creates and moves',
  async (answered) => {
    const organization = await platform().makeOrganization();
    const { make, remove, move, status } = getCollections(organization);
    const outer = await make();
    const inner = await make({ parent: outer.id });
    const movers = await runTimes(5, () => make());
    let removed = 0;
    const create = async (kind: string, parent: string) =>
      (await platform().request(`/v1/orgs/${organization.id}/${kind}`, { token: organization.token, body: { parent } }))
        .status;

    const statuses = await raceWithChange(
      answered,
      async (index) => {
        const parent = index % 2 === 0 ? inner.id : outer.id;
        if (index % 5 === 0) return (await move(movers[index / 5]?.id ?? '', { parent })).status;
        return create(index % 3 === 0 ? 'collections' : 'spaces', parent);
      },
      async () => {
        removed = (await remove(outer.id)).status;
      },
    );

    expect(removed).toBe(205);
    for (const each of statuses) expect([200, 201, 404]).toContain(each);
    expect(await status(`/v1/collections/${outer.id}`)).toBe(404);
    expect(findLiveInDeleted(organization.id)).toEqual([]);
  },
);

test('25 concurrent moves to one position result in distinct positions', async () => {
  const organization = await platform().makeOrganization();
  const { make, makeSpace, move } = getCollections(organization);
  const target = await make();
  const anchor = await makeSpace({ parent: target.id });
  await makeSpace({ parent: target.id });
  const collections = await runTimes(25, () => make());
  const after = { type: 'space', space: anchor.id };

  const responses = await Promise.all(
    collections.map(({ id }, index) =>
      move(id, { parent: target.id, ...(index % 2 === 0 ? {} : { position: { after } }) }),
    ),
  );

  expect(listStatuses(responses)).toEqual([200]);
  const positions = listPositions(organization.id, target.id);
  expect(positions).toHaveLength(27);
  expect(new Set(positions).size).toBe(27);
});

test('siblings that move behind each other concurrently keep distinct positions', async () => {
  const organization = await platform().makeOrganization();
  const { make, move } = getCollections(organization);
  const ids = (await runTimes(6, () => make())).map(({ id }) => id);

  const responses = await runTimes(24, (index) =>
    move(ids[index % 6] ?? '', {
      position: { after: { type: 'collection', collection: ids[((index % 6) + 1 + (index % 5)) % 6] ?? '' } },
    }),
  );

  for (const status of listStatuses(responses)) expect([200, 503]).toContain(status);
  // An attempt fails only if another call succeeds before it, so few of the 24 calls fail all five attempts.
  expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(12);
  expect(new Set(listPositions(organization.id, null)).size).toBe(6);
});

test('content created concurrently has distinct positions', async () => {
  const organization = await platform().makeOrganization();
  const { make, makeSpace } = getCollections(organization);

  await runTimes<unknown>(30, (index) => (index % 2 === 0 ? make() : makeSpace()));

  expect(new Set(listPositions(organization.id, null)).size).toBe(30);
});

test.each(rounds)(
  'a transfer after %i of several concurrent creates leaves no content of another organization in the collection',
  async (answered) => {
    const { makeOrganization, request } = platform();
    const organization = await makeOrganization();
    const other = await request('/v1/orgs', { token: organization.token, body: { title: 'The other' } });
    const { id: to } = (await other.json()) as { id: string };
    const { make, get, transfer } = getCollections(organization);
    const { id: parent } = await make();
    const create = async (kind: string) =>
      (await request(`/v1/orgs/${organization.id}/${kind}`, { token: organization.token, body: { parent } })).status;
    let transferred = 0;

    const statuses = await raceWithChange(
      answered,
      (index) => create(index % 2 === 0 ? 'collections' : 'spaces'),
      async () => {
        transferred = (await transfer(parent, to)).status;
      },
    );

    expect(transferred).toBe(200);
    for (const each of statuses) expect([201, 404]).toContain(each);
    expect(statuses.filter((each) => each === 201).length).toBeGreaterThanOrEqual(answered);
    expect(await get(parent)).toMatchObject({ organization: to });
    expect(
      query(
        `SELECT k.id FROM collections c CROSS JOIN (
        SELECT id, parent, organization FROM collections UNION ALL SELECT id, parent, organization FROM spaces
      ) k ON k.parent = c.id WHERE c.id = ? AND k.organization <> c.organization`,
        parent,
      ),
    ).toEqual([]);
  },
);
