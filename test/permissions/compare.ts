import { expect } from 'vitest';
import { json } from '../support/content.ts';
import type { Server } from '../support/platform.ts';
import { getSample } from '../support/random.ts';
import type { InsertedWorld } from './insert-world.ts';
import type { Content, Person } from './reference.ts';
import { getCollectionRights, getEffectiveRole, getSpaceRights } from './reference.ts';

const atOnce = 16;

/** Calls `ask` for each content, a few at a time, and returns the results by label. */
async function askForEach<Value>(contents: Content[], ask: (content: Content) => Promise<Value>) {
  const responses: [string, Value][] = [];
  for (let start = 0; start < contents.length; start += atOnce) {
    const some = contents.slice(start, start + atOnce);
    responses.push(...(await Promise.all(some.map(async (each) => [each.label, await ask(each)] as [string, Value]))));
  }
  return Object.fromEntries(responses);
}

const mapByLabel = <Value>(contents: Content[], value: (content: Content) => Value) =>
  Object.fromEntries(contents.map((content) => [content.label, value(content)]));

export const getContents = ({ contents }: InsertedWorld, kind: Content['kind']) =>
  contents.filter((content) => content.kind === kind);

interface SeenSpace {
  id: string;
  permissions: Record<string, boolean>;
}

/**
 * Compares a person's access to spaces with the reference. A sample of spaces is read individually: each space has the
 * expected rights, or returns 404. The list must contain all spaces that the person can view, except those in the
 * trash, with the same rights and, for the sample, the same fields.
 */
export async function expectSpaces(server: Server, world: InsertedWorld, person: Person): Promise<void> {
  const token = world.tokens.get(person.id);
  const spaces = getContents(world, 'space');
  const sample = getSample(
    spaces,
    4,
    world.people.findIndex(({ id }) => id === person.id),
  );
  const seen = await askForEach(sample, async ({ id }) => {
    const response = await server.request(`/v1/spaces/${id}`, { token });
    return response.status === 200 ? ((await response.json()) as SeenSpace) : response.status;
  });
  const rights = Object.entries(seen).map(([label, space]) => [
    label,
    typeof space === 'number' ? space : space.permissions,
  ]);

  expect(Object.fromEntries(rights)).toEqual(
    mapByLabel(sample, (space) => getSpaceRights(world, person, space) ?? 404),
  );

  const list = await server.request(`/v1/orgs/${world.organization}/spaces?limit=1000`, { token });
  expect(list.status).toBe(person.member === undefined || person.member.disabled ? 404 : 200);
  if (list.status !== 200) return;
  const { items } = (await list.json()) as { items: SeenSpace[] };
  const readable = spaces.filter((space) => !space.deleted && getSpaceRights(world, person, space) !== undefined);
  expect(Object.fromEntries(items.map((item) => [item.id, item]))).toEqual(
    Object.fromEntries(
      readable.map((space) => [
        space.id,
        seen[space.label] ?? expect.objectContaining({ permissions: getSpaceRights(world, person, space) }),
      ]),
    ),
  );
}

/** Compares a person's view and management rights on a sample of collections with the reference. */
export async function expectCollections(server: Server, world: InsertedWorld, person: Person): Promise<void> {
  const token = world.tokens.get(person.id);
  const collections = getSample(
    getContents(world, 'collection'),
    4,
    world.people.findIndex(({ id }) => id === person.id),
  );
  const statuses = await askForEach(collections, async ({ id }) => {
    const { status } = await server.request(`/v1/collections/${id}/permissions/users?limit=0`, { token });
    return status;
  });
  const getStatus = (rights: ReturnType<typeof getCollectionRights>) =>
    rights === undefined ? 404 : rights.admin ? 200 : 403;

  expect(statuses).toEqual(mapByLabel(collections, (each) => getStatus(getCollectionRights(world, person, each))));
}

/**
 * Compares the list of users with access to each content with the reference: it must contain exactly the users with an
 * effective role.
 */
export async function expectAccessibleUsers(server: Server, world: InsertedWorld, admin: Person): Promise<void> {
  const contents = world.contents.filter(({ deleted }) => !deleted);
  const permissions = await askForEach(contents, async ({ kind, id }) => {
    const { items } = await json<{ items: { permission: string; user: { id: string } }[] }>(
      `/v1/${kind}s/${id}/permissions/aggregate?limit=1000`,
      { token: world.tokens.get(admin.id) },
      server,
    );
    return Object.fromEntries(items.map(({ permission, user }) => [getLabel(world, user.id), permission]));
  });
  const listRoles = (content: Content) =>
    world.people.flatMap((person) => {
      const role = getEffectiveRole(world, person, content);
      return role === null ? [] : [[person.label, role]];
    });

  expect(permissions).toEqual(mapByLabel(contents, (content) => Object.fromEntries(listRoles(content))));
}

const getLabel = ({ people }: InsertedWorld, id: string) => people.find((person) => person.id === id)?.label ?? id;
