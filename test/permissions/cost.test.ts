import { createId } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { platform } from '../support/platform.ts';
import type { Planted } from './plant.ts';
import { plant } from './plant.ts';
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
const worlds = new Map<number, Planted>();

const content = (kind: Content['kind'], label: string, more: Partial<Content> = {}): Content => ({
  ...{ kind, id: createId(kind), parent: null, level: null, createdBy: 'nobody', deleted: false, label },
  ...more,
});

/** Returns a space below `depth` nested collections. */
function chain(depth: number): Content[] {
  const made: Content[] = [];
  for (let level = 0; level < depth; level += 1) {
    made.push(content('collection', `level ${level} of ${depth}`, { parent: made.at(-1)?.id ?? null }));
  }
  return [...made, content('space', `space at ${depth}`, { parent: made.at(-1)?.id ?? null })];
}

async function makeWorld(size: number): Promise<Planted> {
  const teams = Array.from({ length: 200 }, () => createId('team'));
  const person = (label: string, more: Partial<Person> = {}): Person => ({
    ...{ id: createId('user'), label, member: { role: 'read', disabled: false }, teams: [] },
    ...more,
  });
  const people = [
    ...teamCounts.map((count) => person(`in ${count} teams`, { teams: teams.slice(0, count) })),
    person('admin', { member: { role: 'admin', disabled: false } }),
    person('creator', { member: { role: 'create', disabled: false } }),
  ];
  while (people.length < size) people.push(person(`member ${people.length}`));
  const holder = content('collection', 'full');
  const contents = [
    ...depths.flatMap(chain),
    ...[holder, content('collection', 'empty')],
    ...Array.from({ length: 500 }, (_, n) =>
      content('collection', `inside ${n}`, { parent: holder.id, level: 'read' }),
    ),
  ];
  const tops = contents.filter(({ parent, label }) => parent === null && label.startsWith('level'));
  const members = people.filter(({ label }) => label.startsWith('member'));
  const grants = tops.flatMap(({ id: object }) => [
    ...members.map(({ id: subject }) => ({ object, subject, role: 'edit' as const })),
    ...teams.slice(-20).map((subject) => ({ object, subject, role: 'comment' as const })),
  ]);
  return plant(server.dataDir, { people, teams, contents, grants });
}

beforeAll(async () => {
  for (const size of sizes) worlds.set(size, await makeWorld(size));
}, 180_000);

/** Measures a person's request for content, both given by label. */
async function cost(size: number, person: string, path: (world: { idOf(label: string): string }) => string) {
  const world = worlds.get(size);
  const getId = (label: string) => world?.contents.find((each) => each.label === label)?.id ?? '';
  const user = world?.people.find(({ label }) => label === person)?.id ?? '';
  const answer = await server.request(path({ idOf: getId }), { token: world?.tokens.get(user) });
  expect(answer.status).toBe(200);
  const count = (name: string) => Number(answer.headers.get('server-timing')?.match(`${name};desc="(\\d+)"`)?.[1]);
  return { trips: count('d1-trips'), read: count('d1-rows-read') };
}

describe.each(depths)('at a depth of %i collections', (depth) => {
  const ofSpace = (size: number, teams: number) =>
    cost(size, `in ${teams} teams`, ({ idOf }) => `/v1/spaces/${idOf(`space at ${depth}`)}`);

  test.each(teamCounts)('authorization of a member of %i teams takes one round trip', async (teams) => {
    const { trips, read } = await ofSpace(10, teams);

    expect(trips).toBe(1);
    expect(read).toBeLessThanOrEqual(rowsPerRequest + depth * rowsPerLevel + teams * rowsPerTeam);
  });

  test.each(teamCounts)(
    'authorization of a member of %i teams reads the same rows in an organization of 10,000 members',
    async (teams) => {
      const [few, many] = [await ofSpace(10, teams), await ofSpace(10_000, teams)];

      expect(many.trips).toBe(1);
      expect(Math.abs(many.read - few.read), `${few.read} rows, then ${many.read}`).toBeLessThanOrEqual(fewRows);
    },
  );
});

test("finds a role on a collection without reading the collection's content", async () => {
  const of = (label: string) => cost(10, 'creator', ({ idOf }) => `/v1/collections/${idOf(label)}/permissions/users`);

  expect(await of('full')).toEqual(await of('empty'));
  expect((await of('full')).trips).toBe(2);
});

test.each(['users', 'teams', 'aggregate'])(
  'a page of %s reads the same rows in an organization of 10,000 members',
  async (list) => {
    const page = (size: number) =>
      cost(size, 'admin', ({ idOf }) => `/v1/collections/${idOf('level 0 of 30')}/permissions/${list}?limit=5`);
    const [few, many] = [await page(10), await page(10_000)];

    expect(many.trips).toBe(2);
    expect(Math.abs(many.read - few.read), `${few.read} rows, then ${many.read}`).toBeLessThanOrEqual(fewRows);
  },
);
