import { beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { writeDatabase } from '../support/database.ts';
import { platform } from '../support/platform.ts';
import type { Sso } from '../support/sign-in.ts';
import { createSession, makeSso } from '../support/sign-in.ts';

// SSO is enforced and a member is marked directly in the database.
const server = platform();
let sso: Sso;
let space: string;
/** Tokens of the same user: from before SSO was enforced, and from an SSO sign-in. */
let before: string;
let through: string;
let other: string;

beforeAll(async () => {
  sso = await makeSso({}, server);
  const { id } = sso.organization;
  space = (await server.makeSpace({ organization: sso.organization })).id;
  const member = await server.makeUser({ organization: id, role: 'create' });
  before = member.token;
  other = (await json<{ id: string }>('/v1/orgs', { token: before, body: { title: 'Of my own' } }, server)).id;
  await writeDatabase(server, 'UPDATE members SET sso = 1 WHERE user = ? AND organization = ?', member.user, id);
  await writeDatabase(server, 'UPDATE organizations SET sso = 1 WHERE id = ?', id);
  const { email } = await json<{ email: string }>('/v1/user', { token: before }, server);
  through = (await createSession(sso, { attributes: { email } })).token;
});

const readStatus = async (path: string, token: string, body?: object) =>
  (await server.request(path, { token, ...(body === undefined ? {} : { body }) })).status;

test('with enforced SSO, tokens of other sign-ins cannot read or change anything in the organization', async () => {
  const { id } = sso.organization;

  expect(await readStatus(`/v1/spaces/${space}`, before)).toBe(404);
  expect(await readStatus(`/v1/orgs/${id}/spaces`, before)).toBe(403);
  expect(await readStatus(`/v1/orgs/${id}/spaces`, before, { title: 'x' })).toBe(403);
  expect(await readStatus(`/v1/orgs/${id}`, before)).toBe(200);
  const { items } = await json<{ items: { id: string }[] }>(`/v1/orgs/${id}/sso`, { token: before }, server);
  expect(items.map((item) => item.id)).toEqual([sso.provider.id]);
});

test('tokens of an SSO sign-in can read and write, and so can all tokens of admins', async () => {
  const { id, token } = sso.organization;

  for (const each of [through, token]) {
    expect(await readStatus(`/v1/spaces/${space}`, each)).toBe(200);
    expect(await readStatus(`/v1/orgs/${id}/spaces`, each)).toBe(200);
    expect(await readStatus(`/v1/orgs/${id}/spaces`, each, { title: 'x' })).toBe(201);
  }
});

test('the token of an SSO sign-in works only in its organization', async () => {
  expect(await readStatus(`/v1/orgs/${other}`, before)).toBe(200);
  expect(await readStatus(`/v1/orgs/${other}`, through)).toBe(404);
  expect(await readStatus(`/v1/orgs/${other}/spaces`, through)).toBe(404);
  expect(await readStatus('/v1/orgs', through, { title: 'Another' })).toBe(403);
  const { items } = await json<{ items: { id: string }[] }>('/v1/orgs', { token: through }, server);
  expect(items.map(({ id }) => id)).toEqual([sso.organization.id]);
});
