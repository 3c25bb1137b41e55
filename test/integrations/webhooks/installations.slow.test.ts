import type { EventType } from '@octavo/schema';
import {
  auditedFields,
  createInstallationPayload,
  getEventScopes,
  isInstallationEvent,
  IntegrationScope as Scope,
} from '@octavo/schema';
import { expect, test } from 'vitest';
import { json, makePage } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { installWithWebhook } from './installed.ts';
import { isSignedWith, receive } from './receiver.ts';
import { makeDeliveriesDue } from './webhook-client.ts';

const types = Object.keys(auditedFields) as EventType[];

/** The event types that each scope lets an installation receive, by prefix. Independent of the code. */
const heard: Record<string, string[]> = {
  'space:content:read': ['revision.', 'import.', 'change_request.', 'comment.', 'comment_reply.'],
  'space:content:write': ['revision.', 'import.', 'change_request.', 'comment.', 'comment_reply.'],
  'space:metadata:read': ['space.'],
  'space:metadata:write': ['space.'],
  'site:metadata:read': ['site.', 'site_'],
  'site:adaptive:read': ['site.adaptive_schema_updated'],
  'site:adaptive:write': ['site.adaptive_schema_updated'],
  'openapi:read': ['openapi_spec.'],
  'openapi:write': ['openapi_spec.'],
};
const hushed = ['site.auth_', 'site_installation.', 'space_installation.'];

test.each(Scope.options)(
  'the scope %s allows its own event types, but none about people, tokens, keys and jobs',
  (scope) => {
    const beginnings = heard[scope] ?? [];
    const expectedTypes = types.filter(
      (type) =>
        beginnings.some((each) => type.startsWith(each)) &&
        !hushed.some((each) => type.startsWith(each)) &&
        (type !== 'site.adaptive_schema_updated' || scope.startsWith('site:adaptive')),
    );

    expect(types.filter((type) => getEventScopes(type).includes(scope)).toSorted()).toEqual(expectedTypes.toSorted());
  },
);

test('each event type requires a scope, concerns an installation, or is never sent to installations', () => {
  const closed = types.filter((type) => getEventScopes(type).length === 0 && !isInstallationEvent(type));
  const objects = new Set(
    closed.map((type) => type.split('.')[0]).filter((object) => closed.some((type) => type.startsWith(`${object}.`))),
  );

  expect([...objects].toSorted()).toEqual([
    ...['collection', 'content', 'integration', 'invite', 'mail', 'member', 'organization', 'pdf', 'permissions'],
    ...['saml_provider', 'share_link', 'site', 'team', 'token', 'translation', 'user', 'webhook'],
  ]);
});

const actor = { object: 'user' as const, id: 'usr_a', displayName: 'Ann', urls: { location: 'https://a.test' } };
const common = { id: 'evt_a', organization: 'org_a', space: 'spc_a', actor: 'usr_a', createdAt: 0 };

test('sends the specified events in the specified format', () => {
  const createPayload = (type: EventType, data: Record<string, unknown>) =>
    createInstallationPayload({ ...common, type, data }, 'ins_a', actor);
  const status = { installation: 'ins_a', integration: 'a', status: 'active' };
  const base = { eventId: 'evt_a', installationId: 'ins_a', spaceId: 'spc_a' };

  expect(createPayload('installation.created', status)).toEqual({
    ...base,
    type: 'installation_setup',
    status: 'active',
  });
  expect(createPayload('space_installation.updated', { ...status, previous: 'pending' })).toEqual({
    ...{ ...base, type: 'space_installation_setup', status: 'active', previous: { status: 'pending' } },
  });
  expect(createPayload('site_installation.deleted', { ...status, site: 'site_a' })).toEqual({
    ...{ ...base, siteId: 'site_a', type: 'site_installation_deleted', previous: { status: 'active' } },
  });
  expect(createPayload('revision.created', { revision: 'rev_a', branch: 'spc_a' })).toEqual({
    ...{ ...base, type: 'space_content_updated', revisionId: 'rev_a', updatedBy: [actor] },
  });
  expect(createPayload('revision.created', { revision: 'rev_a', branch: 'cr_a' })).toEqual({
    ...{ ...base, type: 'revision.created', revision: 'rev_a', branch: 'cr_a' },
    ...{ createdAt: '1970-01-01T00:00:00.000Z', actor: 'usr_a' },
  });
});

test("an installation gets the events of its scopes at its integration's webhook, signed with its own secret", async () => {
  const organization = await platform().makeOrganization();
  const receiver = await receive();
  const { installation, secret } = await installWithWebhook(organization, {
    webhook: receiver.url,
    scopes: ['space:content:read'],
  });
  const space = await platform().makeSpace({ organization });
  await makePage({ id: space.id, token: organization.token }, 'A page');
  await receiver.got('space_content_updated');

  expect(receiver.received.map(({ type }) => type)).not.toContain('space.created');
  expect(receiver.received.every((each) => isSignedWith(secret, each))).toBe(true);
  expect(receiver.received.find(({ type }) => type === 'space_content_updated')?.body).toMatchObject({
    ...{ installationId: installation, spaceId: space.id, revisionId: expect.stringMatching(/^rev_/) },
    updatedBy: [{ object: 'user', id: organization.user, displayName: 'A tester' }],
  });
});

test('an installation on selected spaces receives only the events of these spaces', async () => {
  const organization = await platform().makeOrganization();
  const receiver = await receive();
  const [on, off] = [await platform().makeSpace({ organization }), await platform().makeSpace({ organization })];
  const { putOn } = await installWithWebhook(organization, {
    ...{ webhook: receiver.url, scopes: ['space:metadata:read'], spaceSelection: 'selected' },
  });
  await putOn(on.id);
  for (const { id } of [off, on])
    await json(`/v1/spaces/${id}`, { token: organization.token, method: 'PATCH', body: { title: 'Other' } });
  await receiver.got('installation_setup', 'space_installation_setup', 'space.updated');

  // Events about one installation are delivered in order. Events about different objects are not ordered.
  const setups = receiver.received.filter(({ type }) => type.endsWith('_setup'));
  expect(setups.map(({ type }) => type)).toEqual(['installation_setup', 'space_installation_setup']);
  expect(receiver.received.map(({ body }) => body).toSorted((one, other) => (one.type < other.type ? -1 : 1))).toEqual([
    expect.objectContaining({ type: 'installation_setup' }),
    expect.objectContaining({ type: 'space.updated', spaceId: on.id }),
    expect.objectContaining({ type: 'space_installation_setup', spaceId: on.id }),
  ]);
});

test('a pending installation receives only its own events, and an ended one only the event of its end', async () => {
  const organization = await platform().makeOrganization();
  const receiver = await receive();
  const { installation, uninstall, secret } = await installWithWebhook(organization, {
    ...{ webhook: receiver.url, scopes: ['space:metadata:read'], isPending: true },
  });
  await platform().makeSpace({ organization });
  await receiver.got('installation_setup');
  await uninstall();
  await platform().makeSpace({ organization });
  await receiver.got('installation_deleted');
  const readStatus = () =>
    query<{ status: string }>('SELECT status FROM subscriptions WHERE id = ?', `${installation}-webhook-end`)[0]
      ?.status;
  await until(() => (readStatus() === 'ended' ? true : undefined));

  expect(receiver.received.map(({ body }) => body)).toEqual([
    expect.objectContaining({ type: 'installation_setup', status: 'pending', installationId: installation }),
    expect.objectContaining({ type: 'installation_deleted', previous: { status: 'pending' } }),
  ]);
  expect(receiver.received.every((each) => isSignedWith(secret, each))).toBe(true);
});

test('an integration receives only the event types that it lists', async () => {
  const organization = await platform().makeOrganization();
  const receiver = await receive();
  await installWithWebhook(organization, {
    ...{
      webhook: receiver.url,
      scopes: ['space:metadata:read', 'space:content:read'],
      events: ['revision.created'],
    },
  });
  const space = await platform().makeSpace({ organization });
  await makePage({ id: space.id, token: organization.token }, 'A page');
  await receiver.got('space_content_updated');

  expect(new Set(receiver.received.map(({ type }) => type))).toEqual(new Set(['space_content_updated']));
});

test('drops waiting events immediately if the integration removes their URL', async () => {
  const organization = await platform().makeOrganization();
  const receiver = await receive((_, response) => response.writeHead(500).end());
  const { installation, publishAgain } = await installWithWebhook(organization, { webhook: receiver.url });
  await receiver.got('installation_setup');
  const readDelivery = () =>
    query('SELECT status, error FROM deliveries WHERE subscription = ?', `${installation}-webhook`)[0];
  await until(() => (readDelivery()?.error === 'returned 500' ? true : undefined));
  await publishAgain({});
  await makeDeliveriesDue(`${installation}-webhook`);
  await until(() => (readDelivery()?.status === 'pending' ? undefined : true));

  expect(readDelivery()).toEqual({ status: 'dead', error: 'the integration has no URL for events' });
});
