import { expect } from 'vitest';
import type { Server } from '../support/platform.ts';
import { getContents } from './compare.ts';
import type { InsertedWorld } from './insert-world.ts';
import type { Content, Person } from './reference.ts';
import { getCollectionRights, getEffectiveRole } from './reference.ts';

interface Listed {
  id: string;
  permission?: string;
  space?: { id: string };
}

/**
 * Compares the lists of collections, of the spaces in each collection and of each member's spaces with the reference.
 */
export async function expectLists(server: Server, world: InsertedWorld, person: Person): Promise<void> {
  if (person.member === undefined || person.member.disabled) return;
  const read = async <Body>(path: string): Promise<Body | number> => {
    const response = await server.request(path, { token: world.tokens.get(person.id) });
    return response.status === 200 ? ((await response.json()) as Body) : response.status;
  };
  const list = async (path: string) => {
    const list = await read<{ items: Listed[] }>(path);
    return typeof list === 'number' ? list : list.items;
  };
  const sortIds = (list: Listed[] | number) => (typeof list === 'number' ? list : list.map(({ id }) => id).sort());
  const getIds = (contents: Content[]) => contents.map(({ id }) => id).sort();
  const isVisible = (each: Content) => !each.deleted && getCollectionRights(world, person, each) !== undefined;
  const there = getContents(world, 'space').filter(({ deleted }) => !deleted);
  const readable = there.filter((space) => getEffectiveRole(world, person, space) !== null);
  const collections = getContents(world, 'collection');
  const seen = collections.filter(isVisible);

  for (const nested of [true, false]) {
    const items = await list(`/v1/orgs/${world.organization}/collections?limit=1000&nested=${nested}`);
    expect(sortIds(items)).toEqual(getIds(seen.filter(({ parent }) => nested || parent === null)));
    if (typeof items === 'number' || !nested) continue;
    for (const item of items) expect(await read(`/v1/collections/${item.id}`)).toEqual(item);
  }

  for (const collection of collections) {
    const items = await list(`/v1/collections/${collection.id}/spaces?limit=1000`);
    const inside = readable.filter(({ parent }) => parent === collection.id);
    expect(sortIds(items)).toEqual(isVisible(collection) ? getIds(inside) : 404);
  }

  for (const other of world.people) {
    const items = await list(`/v1/orgs/${world.organization}/members/${other.id}/spaces?limit=1000&order=asc`);
    if (person.member.role === null && other.id !== person.id) {
      expect(items).toBe(404);
      continue;
    }
    const expected = readable.flatMap((space) => {
      const role = getEffectiveRole(world, other, space);
      return role === null ? [] : [[space.id, role]];
    });
    const permissions =
      typeof items === 'number' ? items : items.map(({ permission, space }) => [space?.id, permission]);
    expect(permissions).toEqual(expected);
  }
}
