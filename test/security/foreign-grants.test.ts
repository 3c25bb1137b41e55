import type { Role } from '@octavo/schema';
import { createId } from '@octavo/schema';
import { beforeAll, expect, test } from 'vitest';
import { writeDatabase } from '../support/database.ts';
import type { TestOrganization, TestSpace, TestUser } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

const server = platform();
let own: TestOrganization;
let other: TestOrganization;
beforeAll(async () => {
  [own, other] = [await server.makeOrganization(), await server.makeOrganization()];
});

const write = (statement: string, ...values: (string | number | null)[]) => writeDatabase(server, statement, ...values);

/** Creates a space of `own`, and a member of both organizations with `role` in `own` (null for a guest). */
async function makeSpaceAndMember(role: Role | null): Promise<{ space: TestSpace; member: TestUser }> {
  const space = await server.makeSpace({ organization: own });
  const member = await server.makeUser({ organization: own.id, role: role as string });
  await write(
    "INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, 'read', ?)",
    other.id,
    member.user,
    Date.now(),
  );
  return { space, member };
}

/** Returns a user's rights on a space, or undefined if the user cannot see it. */
async function readRights(space: TestSpace, { token }: TestUser) {
  const response = await server.request(`/v1/spaces/${space.id}`, { token });
  if (response.status === 404) return undefined;
  const { permissions } = (await response.json()) as { permissions: Record<'view' | 'edit' | 'admin', boolean> };
  const { view, edit, admin } = permissions;
  return { view, edit, admin };
}

const reader = { view: true, edit: false, admin: false };
const editor = { view: true, edit: true, admin: false };
const creator = { view: true, edit: true, admin: true };

const grant = (object: string, subject: string, organization: string, role: Role | null) =>
  write(
    'INSERT OR REPLACE INTO grants (object, subject, organization, role) VALUES (?, ?, ?, ?)',
    object,
    subject,
    organization,
    role,
  );

async function makeCollection(organization: string, parent: string | null, level: Role | null): Promise<string> {
  const id = createId('collection');
  await write(
    "INSERT INTO collections (id, organization, parent, title, default_level, created_by, created_at) VALUES (?, ?, ?, 'C', ?, ?, 1)",
    id,
    organization,
    parent,
    level,
    other.user,
  );
  return id;
}

const moveIntoCollection = (space: TestSpace, collection: string) =>
  write('UPDATE spaces SET parent = ? WHERE id = ?', collection, space.id);

/** Creates a team of an organization. The membership row names the organization `memberOf`. */
async function makeTeam(organization: string, { user }: TestUser, memberOf: string): Promise<string> {
  const id = createId('team');
  await write("INSERT INTO teams (id, organization, title, created_at) VALUES (?, ?, 'T', 1)", id, organization);
  await write('INSERT INTO team_members (team, user, organization) VALUES (?, ?, ?)', id, user, memberOf);
  return id;
}

test('a grant to a user only counts in the organization of the space', async () => {
  const { space, member } = await makeSpaceAndMember(null);
  expect(await readRights(space, member)).toBeUndefined();

  await grant(space.id, member.user, other.id, 'create');
  expect(await readRights(space, member)).toBeUndefined();

  await grant(space.id, member.user, own.id, 'edit');
  expect(await readRights(space, member)).toEqual(editor);
});

test('a grant of another organization does not restrict access either', async () => {
  const { space, member } = await makeSpaceAndMember('read');

  await grant(space.id, member.user, other.id, null);
  expect(await readRights(space, member)).toEqual(reader);

  await grant(space.id, member.user, own.id, null);
  expect(await readRights(space, member)).toBeUndefined();
});

test('a grant to a team applies only if team, grant and space belong to the same organization', async () => {
  const { space, member } = await makeSpaceAndMember(null);
  const foreign = await makeTeam(other.id, member, other.id);
  const [granted, taken] = [await makeTeam(own.id, member, own.id), await makeTeam(own.id, member, own.id)];

  await grant(space.id, foreign, other.id, 'create');
  expect(await readRights(space, member)).toBeUndefined();
  await grant(space.id, foreign, own.id, 'create');
  expect(await readRights(space, member)).toBeUndefined();
  await grant(space.id, taken, other.id, 'create');
  expect(await readRights(space, member)).toBeUndefined();

  await grant(space.id, granted, own.id, 'edit');
  expect(await readRights(space, member)).toEqual(editor);
});

test('a space in a collection of another organization inherits no access from it', async () => {
  const { space, member } = await makeSpaceAndMember('read');
  const collection = await makeCollection(other.id, null, 'create');
  await moveIntoCollection(space, collection);
  expect(await readRights(space, member)).toEqual(reader);
  await grant(collection, member.user, own.id, 'create');
  await grant(collection, await makeTeam(own.id, member, own.id), own.id, 'create');
  expect(await readRights(space, member)).toEqual(reader);

  const mine = await makeCollection(own.id, null, 'create');
  await moveIntoCollection(space, mine);
  expect(await readRights(space, member)).toEqual(creator);
  await grant(mine, member.user, own.id, 'edit');
  expect(await readRights(space, member)).toEqual(editor);
});

test('inheritance ends at a collection of another organization, at any level', async () => {
  const { space, member } = await makeSpaceAndMember('read');
  const [foreign, mine] = [
    await makeCollection(other.id, null, 'create'),
    await makeCollection(own.id, null, 'create'),
  ];
  const below = await makeCollection(own.id, foreign, null);

  await moveIntoCollection(space, below);
  expect(await readRights(space, member)).toEqual(reader);

  await moveIntoCollection(space, await makeCollection(own.id, mine, null));
  expect(await readRights(space, member)).toEqual(creator);
});
