import { createId } from '@octavo/schema';
import { beforeAll, expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { guest, makeMember, makeTeam } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

// A guest's direct, team and collection grants are inserted into the database, because this area has no operation for
// them.
const server = platform({ countsRows: true });
let organization: TestOrganization;
beforeAll(async () => {
  organization = await server.makeOrganization();
});

const grant = (object: string, subject: string, role: string | null) =>
  writeDatabase(
    server,
    'INSERT OR REPLACE INTO grants (object, subject, organization, role) VALUES (?, ?, ?, ?)',
    object,
    subject,
    organization.id,
    role,
  );

const createSpaceIn = async (title: string, collection: string | null = null) => {
  const { id } = await server.makeSpace({ organization, title });
  await writeDatabase(server, 'UPDATE spaces SET parent = ? WHERE id = ?', collection, id);
  return id;
};

test('a guest can access what was shared with them or their team, and its descendants', async () => {
  const { user, token } = await makeMember(organization, guest, server);
  const team = await makeTeam(organization, { members: [user] }, server);
  const collection = createId('collection');
  await writeDatabase(
    server,
    "INSERT INTO collections (id, organization, title, created_by, created_at) VALUES (?, ?, 'C', 'x', 1)",
    collection,
    organization.id,
  );
  await grant(await createSpaceIn('Own'), user, 'comment');
  await grant(await createSpaceIn('Through the team'), team.id, 'edit');
  await grant(collection, user, 'read');
  await createSpaceIn('Below', collection);
  await grant(await createSpaceIn('Denied below', collection), user, null);
  await createSpaceIn('Of others');
  const deleted = await createSpaceIn('Deleted');
  await grant(deleted, user, 'create');
  await writeDatabase(server, 'UPDATE spaces SET deleted_at = 1 WHERE id = ?', deleted);
  const path = `/v1/orgs/${organization.id}/members/${user}/spaces`;
  const expected = [
    ['Below', 'read'],
    ['Through the team', 'edit'],
    ['Own', 'comment'],
  ];

  for (const caller of [{ token }, organization]) {
    const { items } = await json<{ items: { permission: string; space: { title: string } }[] }>(path, caller, server);
    expect(items.map(({ permission, space }) => [space.title, permission])).toEqual(expected);
  }
});

test('the cost for a guest depends on the content shared with them, not on the size of the organization', async () => {
  const { user, token } = await makeMember(organization, guest, server);
  await grant(await createSpaceIn('Own'), user, 'read');
  const path = `/v1/orgs/${organization.id}/members/${user}/spaces`;
  const measureCost = async () => getCost(await server.request(path, { token }));
  const before = await measureCost();

  for (let count = 0; count < 40; count += 1) await createSpaceIn('Of others');

  expect(await measureCost()).toEqual(before);
});
