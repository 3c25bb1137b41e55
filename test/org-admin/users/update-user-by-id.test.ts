import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';

const patch = ({ token }: TestUser, user: string, body: unknown) =>
  platform().request(`/v1/users/${user}`, { token, method: 'PATCH', body });

test.each([
  [{ displayName: ' Ada ' }, { displayName: 'Ada' }],
  [{ displayName: 'x'.repeat(64) }, { displayName: 'x'.repeat(64) }],
  [{ photoURL: 'https://example.test/me.png' }, { photoURL: 'https://example.test/me.png' }],
  [{}, {}],
])('the update %j results in %j and changes nothing else', async (body, expected) => {
  const caller = await platform().makeUser();
  const before = await json<object>('/v1/user', caller);

  const response = await patch(caller, caller.user, body);
  const changed = await response.json();

  expect(response.status).toBe(200);
  expect(changed).toEqual({ ...before, ...expected });
  expect(await json('/v1/user', caller)).toEqual(changed);
});

test.each([
  [{ displayName: '' }],
  [{ displayName: '   ' }],
  [{ displayName: 'x'.repeat(65) }],
  [{ displayName: null }],
  [{ photoURL: 'javascript:alert(1)' }],
  [{ photoURL: 'data:image/png;base64,AA' }],
  [{ photoURL: '/me.png' }],
  [{ photoURL: `https://example.test/${'x'.repeat(2048)}` }],
])('rejects %j', async (body) => {
  const caller = await platform().makeUser();
  const before = await json('/v1/user', caller);

  expect((await patch(caller, caller.user, body)).status).toBe(400);
  expect(await json('/v1/user', caller)).toEqual(before);
});

test('returns 403 for another visible user, 404 for an invisible one', async () => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const member = await makeUser({ organization: organization.id, role: 'read' });
  const stranger = await makeUser();
  const body = { displayName: 'Taken over' };

  expect((await patch(organization, member.user, body)).status).toBe(403);
  expect((await patch(stranger, member.user, body)).status).toBe(404);
  expect((await patch(organization, 'usr_madeup', body)).status).toBe(404);
  expect(await json('/v1/user', member)).toMatchObject({ displayName: 'A tester' });
});

test('null removes the photo', async () => {
  const caller = await platform().makeUser();
  await patch(caller, caller.user, { photoURL: 'https://example.test/me.png' });

  expect(await (await patch(caller, caller.user, { photoURL: null })).json()).not.toHaveProperty('photoURL');
});

test('a service account can change itself, although it is bound to one organization', async () => {
  const robot = await makeServiceAccount(await platform().makeOrganization());

  expect(await (await patch(robot, robot.user, { displayName: 'Robot 2' })).json()).toMatchObject({
    displayName: 'Robot 2',
  });
});

test('concurrent changes of name and photo are both applied', async () => {
  const caller = await platform().makeUser();
  const photoURL = 'http://example.test/me.png';

  await Promise.all([{ displayName: 'Ada' }, { photoURL }].map((body) => patch(caller, caller.user, body)));

  expect(await json('/v1/user', caller)).toMatchObject({ displayName: 'Ada', photoURL });
});

test('records a change, but not an update without changes', async () => {
  const caller = await platform().makeUser();
  await patch(caller, caller.user, {});
  await patch(caller, caller.user, { displayName: 'Ada' });

  expect(query("SELECT type FROM outbox WHERE actor = ? AND type <> 'token.created'", caller.user)).toEqual([
    { type: 'user.updated' },
  ]);
});
