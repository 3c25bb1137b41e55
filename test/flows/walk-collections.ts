import { expect } from 'vitest';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import type { Resource, Walk } from './walk.ts';

interface Listed {
  items: Resource[];
}

/** Walks the operations on collections. */
export async function walkCollections(walk: Walk, organization: TestOrganization, other: string): Promise<void> {
  const owner = { organizationId: organization.id };
  const outer = await walk.call('createCollection', { ids: owner, body: { title: 'Outer' } });
  const inner = await walk.call('createCollection', { ids: owner, body: { title: 'Inner', parent: outer.id } });
  expect(inner).toMatchObject({ title: 'Inner', parent: outer.id, organization: organization.id });
  const ids = { collectionId: inner.id };
  expect(await walk.call('getCollectionById', { ids })).toEqual(inner);
  const changes = { title: 'Changed', description: 'What is in it.', defaultLevel: 'edit' };
  expect(await walk.call('updateCollectionById', { ids, body: changes })).toMatchObject(changes);
  const { id } = await platform().makeSpace({ organization });
  const options = { token: organization.token, body: { parent: inner.id } };
  expect((await platform().request(`/v1/spaces/${id}/move`, options)).status).toBe(200);
  const { items } = await walk.call<Listed>('listSpacesInCollectionById', { ids });
  expect(items.map((space) => space.id)).toEqual([id]);
  const top = await walk.call<Listed>('listCollectionsInOrganizationById', { ids: owner, query: '?nested=false' });
  expect(top.items.map((each) => each.id)).toContain(outer.id);
  expect(top.items.map((each) => each.id)).not.toContain(inner.id);
  expect(await walk.call('moveCollection', { ids, body: { parent: null } })).not.toHaveProperty('parent');
  const went = await walk.call('transferCollection', { ids, body: { organization: other } });
  expect(went).toMatchObject({ id: inner.id, organization: other });
  await walk.call('deleteCollectionById', { ids: { collectionId: outer.id } });
}
