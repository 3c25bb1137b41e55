import type { Role } from '@octavo/schema';
import { newId, roles } from '@octavo/schema';
import { json, makeChangeRequest } from './content.ts';
import { writePast } from './database.ts';
import type { OwnPlatform } from './own-platform.ts';
import type { TestOrganization, TestSpace, TestUser } from './platform.ts';

/** On a platform of the test's own: one organization with a user of each role and an object of each kind that there is. */
export interface World {
  organization: TestOrganization;
  space: TestSpace;
  users: Record<Role | 'guest', TestUser>;
  /** Real ids, by the names of the parameters of paths. */
  ids: Record<string, string>;
}

export async function makeWorld(server: OwnPlatform): Promise<World> {
  const { makeOrganization, makeSpace, makeUser, dataDir } = server;
  const organization = await makeOrganization();
  const space = await makeSpace({ organization });
  const users = {} as World['users'];
  for (const role of roles) users[role] = await makeUser({ organization: organization.id, role });
  users.guest = await makeUser({ organization: organization.id, role: null as unknown as string });
  const changes = [{ operation: 'insert_page', title: 'A page', document: { markdown: 'Some words.' } }];
  const edited = await json<{ changes: { page: { id: string } }[] }>(
    `/v1/spaces/${space.id}/content`,
    { token: space.token, body: { changes } },
    server,
  );
  const changeRequest = await makeChangeRequest(space, 'A change', server);
  const collectionId = newId('collection');
  writePast(
    dataDir,
    'INSERT INTO collections (id, organization, title, created_by, created_at) VALUES (?, ?, ?, ?, ?)',
    collectionId,
    organization.id,
    'A collection',
    organization.user,
    Date.now(),
  );
  const ids = {
    organizationId: organization.id,
    spaceId: space.id,
    changeRequestId: changeRequest.id,
    revisionId: space.revision,
    pageId: edited.changes[0]?.page.id ?? '',
    pagePath: 'a-page',
    collectionId,
    userId: organization.user,
    emailDomain: 'example.test',
  };
  return { organization, space, users, ids };
}
