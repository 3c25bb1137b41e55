import { beforeAll, expect, test } from 'vitest';
import { platform } from '../support/platform.ts';
import { expectAccessibleUsers, expectCollections, expectSpaces, getContents } from './compare.ts';
import type { InsertedWorld } from './insert-world.ts';
import { insertWorld } from './insert-world.ts';
import type { Grant } from './reference.ts';
import { admin, given, table } from './table.ts';

const server = platform();
let world: InsertedWorld;

const isTrash = ({ object }: Grant) => table.contents.some(({ id, deleted }) => id === object && deleted);

/** Creates grants with one request per object and role. */
async function createGrants(grants: Grant[]): Promise<void> {
  const together = Map.groupBy(grants, ({ object, role }) => `${object} ${role}`);
  for (const [first, ...others] of together.values()) {
    if (first === undefined) continue;
    const subjects = [first, ...others].map(({ subject }) => subject);
    const kind = table.contents.find(({ id }) => id === first.object)?.kind;
    const body = {
      users: subjects.filter((subject) => !table.teams.includes(subject)),
      teams: subjects.filter((subject) => table.teams.includes(subject)),
      role: first.role,
    };
    const token = world.tokens.get(admin.id);
    const response = await server.request(`/v1/${kind}s/${first.object}/permissions`, { token, body });
    expect(response.status).toBe(204);
  }
}

beforeAll(async () => {
  world = await insertWorld(server.dataDir, { ...table, grants: given.filter(isTrash) });
  await createGrants(given.filter((grant) => !isTrash(grant)));
  world = { ...world, grants: given };
}, 180_000);

test('the permission table has thousands of cases', () => {
  expect(getContents(world, 'space').length * world.people.length).toBeGreaterThan(2000);
  expect(getContents(world, 'collection').length * world.people.length).toBeGreaterThan(2000);
});

test.each(table.people)('$label has the specified rights on every space, in single reads and in lists', (person) =>
  expectSpaces(server, world, person),
);

test.each(table.people)('$label can read and manage the expected collections', (person) =>
  expectCollections(server, world, person),
);

test(
  'lists the users with access to content, each with the expected role',
  () => expectAccessibleUsers(server, world, admin),
  60_000,
);
