import { createId } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { platform } from '../support/platform.ts';
import type { InsertedWorld } from './insert-world.ts';
import { insertWorld } from './insert-world.ts';
import type { Content, Person } from './reference.ts';

// Times are noisy, so the tests count round trips and rows. Every member has a grant on the top-level content, so that
// costs that grow with the number of members are noticed.

const sizes = [10, 10_000];
const depths = [1, 30];
const teamCounts = [1, 200];
const rowsPerLevel = 4;
const rowsPerTeam = 2;
const rowsPerRequest = 20;
/** An index search may read the row after the match. */
const fewRows = 8;

const server = platform({ countsRows: true });
const worlds = new Map<number, InsertedWorld>();

const createContent = (kind: Content['kind'], label: string, more: Partial<Content> = {}): Content => ({
  ...{ kind, id: createId(kind), parent: null, level: null, createdBy: 'nobody', deleted: false, label },
  ...more,
});

/** Returns a space below `depth` nested collections. */
function createNestedSpace(depth: number): Content[] {
  const contents: Content[] = [];
  for (let level = 0; level < depth; level += 1) {
    contents.push(createContent('collection', `level ${level} of ${depth}`, { parent: contents.at(-1)?.id ?? null }));
  }
  return [...contents, createContent('space', `space at ${depth}`, { parent: contents.at(-1)?.id ?? null })];
}

async function createPermissionsWorld(size: number): Promise<InsertedWorld> {
  const teams = Array.from({ length: 200 }, () => createId('team'));
  const createPerson = (label: string, more: Partial<Person> = {}): Person => ({
    ...{ id: createId('user'), label, member: { role: 'read', disabled: false }, teams: [] },
    ...more,
  });
  const people = [
    ...teamCounts.map((count) => createPerson(`in ${count} teams`, { teams: teams.slice(0, count) })),
    createPerson('admin', { member: { role: 'admin', disabled: false } }),
    createPerson('creator', { member: { role: 'create', disabled: false } }),
  ];
  while (people.length < size) people.push(createPerson(`member ${people.length}`));
  const holder = createContent('collection', 'full');
  const contents = [
    ...depths.flatMap(createNestedSpace),
    ...[holder, createContent('collection', 'empty')],
    ...Array.from({ length: 500 }, (_, n) =>
      createContent('collection', `inside ${n}`, { parent: holder.id, level: 'read' }),
    ),
  ];
  const tops = contents.filter(({ parent, label }) => parent === null && label.startsWith('level'));
  const members = people.filter(({ label }) => label.startsWith('member'));
  const grants = tops.flatMap(({ id: object }) => [
    ...members.map(({ id: subject }) => ({ object, subject, role: 'edit' as const })),
    ...teams.slice(-20).map((subject) => ({ object, subject, role: 'comment' as const })),
  ]);
  return insertWorld(server.dataDir, { people, teams, contents, grants });
}

beforeAll(async () => {
  for (const size of sizes) worlds.set(size, await createPermissionsWorld(size));
}, 180_000);

/** Measures a person's request for content, both given by label. */
async function measureCost(size: number, person: string, path: (world: { idOf(label: string): string }) => string) {
  const world = worlds.get(size);
  const getId = (label: string) => world?.contents.find((each) => each.label === label)?.id ?? '';
  const user = world?.people.find(({ label }) => label === person)?.id ?? '';
  const response = await server.request(path({ idOf: getId }), { token: world?.tokens.get(user) });
  expect(response.status).toBe(200);
  const count = (name: string) => Number(response.headers.get('server-timing')?.match(`${name};desc="(\\d+)"`)?.[1]);
  return { trips: count('d1-trips'), read: count('d1-rows-read') };
}

describe.each(depths)('at a depth of %i collections', (depth) => {
  const measureSpaceCost = (size: number, teams: number) =>
    measureCost(size, `in ${teams} teams`, ({ idOf }) => `/v1/spaces/${idOf(`space at ${depth}`)}`);

  test.each(teamCounts)('authorization of a member of %i teams takes one round trip', async (teams) => {
    const { trips, read } = await measureSpaceCost(10, teams);

    expect(trips).toBe(1);
    expect(read).toBeLessThanOrEqual(rowsPerRequest + depth * rowsPerLevel + teams * rowsPerTeam);
  });

  test.each(teamCounts)(
    'authorization of a member of %i teams reads the same rows in an organization of 10,000 members',
    async (teams) => {
      const [few, many] = [await measureSpaceCost(10, teams), await measureSpaceCost(10_000, teams)];

      expect(many.trips).toBe(1);
      expect(Math.abs(many.read - few.read), `${few.read} rows, then ${many.read}`).toBeLessThanOrEqual(fewRows);
    },
  );
});

test("finds a role on a collection without reading the collection's content", async () => {
  const measureCollectionCost = (label: string) =>
    measureCost(10, 'creator', ({ idOf }) => `/v1/collections/${idOf(label)}/permissions/users`);

  expect(await measureCollectionCost('full')).toEqual(await measureCollectionCost('empty'));
  expect((await measureCollectionCost('full')).trips).toBe(2);
});

test.each(['users', 'teams', 'aggregate'])(
  'a page of %s reads the same rows in an organization of 10,000 members',
  async (list) => {
    const readPage = (size: number) =>
      measureCost(size, 'admin', ({ idOf }) => `/v1/collections/${idOf('level 0 of 30')}/permissions/${list}?limit=5`);
    const [few, many] = [await readPage(10), await readPage(10_000)];

    expect(many.trips).toBe(2);
    expect(Math.abs(many.read - few.read), `${few.read} rows, then ${many.read}`).toBeLessThanOrEqual(fewRows);
  },
);
