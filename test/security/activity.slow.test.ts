import type { EventType, NewEvent } from '@octavo/schema';
import { auditedFields, eventData, roles, scopes } from '@octavo/schema';
import { expect, test } from 'vitest';
import type { AuditEvent, AuditEventDetails } from '../org-admin/audit-events/activity.ts';
import { createAuditLogClient } from '../org-admin/audit-events/activity.ts';
import { json, makeChangeRequest, makePage } from '../support/content.ts';
import { query, writeDatabase } from '../support/database.ts';
import { startOwnPlatform } from '../support/own-platform.ts';
import { guest, makeMember, makeTeam } from '../support/people.ts';
import { platform } from '../support/platform.ts';
import { makeServiceAccount } from '../support/service-account.ts';

/**
 * Creates an organization with a draft, a hidden space and a space in the trash. Returns the ids of the events about
 * them.
 */
async function createHiddenContent() {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization, title: 'Hidden' });
  await json(`/v1/spaces/${space.id}`, { token: space.token, method: 'PATCH', body: { defaultLevel: 'none' } });
  await makePage(space, 'An unseen page');
  await makeChangeRequest(space, 'A draft');
  const trash = await platform().makeSpace({ organization, title: 'In the trash' });
  await platform().request(`/v1/spaces/${trash.id}`, { token: trash.token, method: 'DELETE' });
  return { organization, space, events: await createAuditLogClient(organization).all() };
}

const getTargets = (organization: string, events: AuditEvent[]) =>
  ['', ...events.map(({ id }) => `/${id}`)].map((rest) => `/v1/orgs/${organization}/audit-events${rest}`);

async function readResponses(paths: string[], token: string) {
  const responses = await Promise.all(paths.map((path) => platform().request(path, { token })));
  const bodies = await Promise.all(responses.map((response) => response.text()));
  return { statuses: new Set(responses.map(({ status }) => status)), text: bodies.join() };
}

const below = [...roles.filter((role) => role !== 'admin'), guest];

test.each(below)('a member with the role %s cannot read events', async (role) => {
  const { organization, space, events } = await createHiddenContent();
  const { token } = await makeMember(organization, role);

  const { statuses, text } = await readResponses(getTargets(organization.id, events), token);

  expect([...statuses]).toEqual([403]);
  for (const hidden of [space.id, 'Hidden', 'In the trash', 'A draft']) expect(text).not.toContain(hidden);
});

test('members of other organizations cannot read events', async () => {
  const { organization, events } = await createHiddenContent();
  const stranger = await platform().makeUser();
  const other = await platform().makeOrganization();

  for (const { token } of [stranger, other]) {
    expect([...(await readResponses(getTargets(organization.id, events), token)).statuses]).toEqual([404]);
  }
  const { statuses } = await readResponses(getTargets(other.id, events).slice(1), other.token);
  expect([...statuses]).toEqual([404]);
});

test('a list contains no events of another organization, whatever the filter', async () => {
  const { organization, events } = await createHiddenContent();
  const other = await platform().makeOrganization();
  const { all } = createAuditLogClient(other);
  const own = new Set((await all()).map(({ id }) => id));
  const filters = events.flatMap(({ action, actor, target, occurredAt }) => [
    { action },
    { actor: actor.id },
    { target: target.id },
    { from: occurredAt },
  ]);

  for (const filter of filters) {
    const events = await all(filter as unknown as Record<string, string>);
    expect(events.filter(({ id }) => !own.has(id))).toEqual([]);
  }
  expect(events.filter(({ id }) => own.has(id))).toEqual([]);
  expect(events.length).toBeGreaterThan(5);
  expect(organization.id).not.toBe(other.id);
});

test('tokens without the scope or bound to another organization cannot read events', async () => {
  const { organization, events } = await createHiddenContent();
  const paths = getTargets(organization.id, events);
  const make = async (only: string[]) =>
    (
      await json<{ token: string }>('/v1/user/tokens', {
        token: organization.token,
        body: { label: 'Limited', scopes: only },
      })
    ).token;
  const without = await make(scopes.filter((scope) => scope !== 'organization:read'));
  const robot = await makeServiceAccount(await platform().makeOrganization(), 'admin');

  expect([...(await readResponses(paths, without)).statuses]).toEqual([403]);
  expect([...(await readResponses(paths, robot.token)).statuses]).toEqual([404]);
  expect([...(await readResponses(paths, await make(['organization:read']))).statuses]).toEqual([200]);
});

/** Returns event data with a secret in each field, and with undeclared fields. */
const createSecretData = (fields: string[]) =>
  JSON.stringify({
    ...Object.fromEntries(fields.map((field) => [field, `inv_${'s'.repeat(20)}`])),
    ...{ secret: 'SECRET', hash: 'SECRET', email: 'SECRET', markdown: { body: 'SECRET' } },
  });

test('events contain only declared fields', async () => {
  const server = platform();
  const organization = await server.makeOrganization();
  const types = Object.keys(auditedFields) as EventType[];
  for (const [index, type] of types.entries()) {
    const fields = Object.keys((eventData as Record<string, { shape: object }>)[type]?.shape ?? {});
    await writeDatabase(
      server,
      `INSERT INTO outbox (id, type, organization, actor, request_id, data, created_at, done_at)
          VALUES (?, ?, ?, ?, 'req_1', ?, ?, 1)`,
      ...[`evt_inserted${index}`, type, organization.id, organization.user, createSecretData(fields), Date.now()],
    );
  }
  const { all, details } = createAuditLogClient(organization, server);
  const inserted = (await all()).filter(({ id }) => id.startsWith('evt_inserted'));

  expect(inserted.map(({ action }) => action).sort()).toEqual(
    types.filter((type) => auditedFields[type] !== null).sort(),
  );
  const eventDetails = await Promise.all(inserted.map(({ id }) => details(id)));
  for (const event of eventDetails) {
    const declared = Object.keys((eventData as Record<string, { shape: object }>)[event.action]?.shape ?? {});
    expect([event.action, declared]).toEqual([event.action, expect.arrayContaining(Object.keys(event.payload))]);
    expect([event.action, JSON.stringify(event).includes('SECRET')]).toEqual([event.action, false]);
  }
  const invites = eventDetails.filter(({ action }) => action.startsWith('invite.'));
  expect(invites.map(({ payload, target }) => [payload.invite, target])).toEqual(
    Array.from({ length: 3 }, () => ['inv_ssssss', { type: 'invite', id: 'inv_ssssss' }]),
  );
});

test('events contain no secrets of invitations or tokens, and no addresses of people', async () => {
  const organization = await platform().makeOrganization();
  const { token, id } = organization;
  const link = await json<{ id: string }>(`/v1/orgs/${id}/link-invites`, { token, body: { role: 'create' } });
  const robot = await makeServiceAccount(organization);
  const email = `ada-${Date.now()}@secret.test`;
  await json(`/v1/orgs/${id}/invites`, { token, body: { emails: [email] } });
  await makeTeam(organization);
  const { all, details } = createAuditLogClient(organization);
  const events = await all();
  const eventDetails: AuditEventDetails[] = await Promise.all(events.map((event) => details(event.id)));
  const text = JSON.stringify([events, eventDetails]);

  for (const secret of [link.id, robot.token, token, email]) expect(text).not.toContain(secret);
  const created = events.find(({ action }) => action === 'invite.created');
  expect(await all({ target: created?.target.id ?? '' })).toEqual([created]);
  expect(await all({ target: link.id })).toEqual([]);
});

test('ignores IP address headers of clients that reach the gateway directly', async () => {
  const server = await startOwnPlatform();
  try {
    const { id, token } = await server.makeOrganization();
    const names = ['cf-connecting-ip', 'x-forwarded-for', 'x-real-ip', 'octavo-client-address', 'true-client-ip'];
    const headers = Object.fromEntries(names.map((name) => [name, '203.0.113.7']));
    const cf = { 'MF-CF-Blob': JSON.stringify({ clientIp: '203.0.113.7' }) };
    await server.request(`/v1/orgs/${id}`, {
      token,
      method: 'PATCH',
      body: { title: 'Other' },
      headers: { ...headers, ...cf },
    });

    const [event] = await createAuditLogClient({ id, token }, server).all();

    expect(event).toMatchObject({ action: 'organization.updated', origin: { token: expect.any(String) } });
    expect(event?.origin).not.toHaveProperty('ip');
  } finally {
    await server.remove();
  }
});

test('ignores an IP address that a client sends in the internal header', async () => {
  const { makeOrganization, request } = platform();
  const { id, token } = await makeOrganization();
  const headers = { 'octavo-client-address': '203.0.113.7' };
  await request(`/v1/orgs/${id}`, { token, method: 'PATCH', body: { title: 'Other' }, headers });

  const [event] = await createAuditLogClient({ id, token }).all();

  expect(event?.origin).not.toHaveProperty('ip');
});

test('the audit log index contains exactly the audited event types', () => {
  const plan = query<{ detail: string }>(
    `EXPLAIN QUERY PLAN SELECT id FROM outbox INDEXED BY outbox_audited WHERE organization = 'x' AND instr(type, '.') > 0
      AND type <> 'content.changed' AND type <> 'mail.requested' AND (created_at, id) < (1, '') AND created_at BETWEEN 0 AND 1
      ORDER BY created_at DESC, id DESC LIMIT 51`,
  );
  const isIndexed = (type: string) => type.includes('.') && type !== 'content.changed' && type !== 'mail.requested';
  const types = Object.keys(auditedFields) as NewEvent['type'][];

  expect(plan.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH outbox USING INDEX outbox_audited/),
  ]);
  expect(types.filter((type) => isIndexed(type) !== (auditedFields[type] !== null))).toEqual([]);
});
