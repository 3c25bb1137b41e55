import { expect } from 'vitest';
import type { Server } from '../support/platform.ts';
import { getContents } from './compare.ts';
import type { Planted } from './plant.ts';
import type { Content, Person } from './reference.ts';
import { collectionRights, effectiveRole } from './reference.ts';

interface Listed {
  id: string;
  permission?: string;
  space?: { id: string };
}

/**
 * Compares the lists of collections, of the spaces in each collection and of each member's spaces with the reference.
 */
export async function expectLists(server: Server, world: Planted, person: Person): Promise<void> {
  if (person.member === undefined || person.member.disabled) return;
  const read = async <Body>(path: string): Promise<Body | number> => {
    const answer = await server.request(path, { token: world.tokens.get(person.id) });
    return answer.status === 200 ? ((await answer.json()) as Body) : answer.status;
  };
  const list = async (path: string) => {
    const found = await read<{ items: Listed[] }>(path);
    return typeof found === 'number' ? found : found.items;
  };
  const ids = (found: Listed[] | number) => (typeof found === 'number' ? found : found.map(({ id }) => id).sort());
  const getIds = (contents: Content[]) => contents.map(({ id }) => id).sort();
  const sees = (each: Content) => !each.deleted && collectionRights(world, person, each) !== undefined;
  const there = getContents(world, 'space').filter(({ deleted }) => !deleted);
  const readable = there.filter((space) => effectiveRole(world, person, space) !== null);
  const collections = getContents(world, 'collection');
  const seen = collections.filter(sees);

  for (const nested of [true, false]) {
    const items = await list(`/v1/orgs/${world.organization}/collections?limit=1000&nested=${nested}`);
    expect(ids(items)).toEqual(getIds(seen.filter(({ parent }) => nested || parent === null)));
    if (typeof items === 'number' || !nested) continue;
    for (const item of items) expect(await read(`/v1/collections/${item.id}`)).toEqual(item);
  }

  for (const collection of collections) {
    const items = await list(`/v1/collections/${collection.id}/spaces?limit=1000`);
    const inside = readable.filter(({ parent }) => parent === collection.id);
    expect(ids(items)).toEqual(sees(collection) ? getIds(inside) : 404);
  }

  for (const other of world.people) {
    const items = await list(`/v1/orgs/${world.organization}/members/${other.id}/spaces?limit=1000&order=asc`);
    if (person.member.role === null && other.id !== person.id) {
      expect(items).toBe(404);
      continue;
    }
    const wanted = readable.flatMap((space) => {
      const role = effectiveRole(world, other, space);
      return role === null ? [] : [[space.id, role]];
    });
    const found = typeof items === 'number' ? items : items.map(({ permission, space }) => [space?.id, permission]);
    expect(found).toEqual(wanted);
  }
}
