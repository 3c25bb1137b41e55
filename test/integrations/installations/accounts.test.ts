import { beforeAll, expect, test } from 'vitest';
import { createAuditLogClient } from '../../org-admin/audit-events/activity.ts';
import { json } from '../../support/content.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { actAs, change, getPath, install, makeIntegration, publishVersion } from '../../support/integrations.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
let owner: TestOrganization;
let home: TestOrganization;
let space: TestSpace;
let integration: TestIntegration;
let installation: TestInstallation;
let token: string;

const described = { scopes: ['space:content:read', 'space:content:write'], target: 'organization' };

beforeAll(async () => {
  owner = await server.makeOrganization();
  home = await server.makeOrganization();
  space = await server.makeSpace({ organization: home });
  integration = await makeIntegration(owner, { ...described, title: 'A first title' });
  installation = await install(integration, home);
  token = await actAs(integration, installation);
  await json(`/v1/spaces/${space.id}/comments`, { token, body: { body: { markdown: 'A remark.' } } });
  await change(getPath(integration, installation), integration.token, { externalIds: ['outside'] });
});

interface Comment {
  postedBy: { id: string; displayName: string };
}

/** Returns the account's name, once as the author of a comment and once as the actor of an event. */
async function readAccountNames(): Promise<(string | undefined)[]> {
  const comments = await json<{ items: Comment[] }>(`/v1/spaces/${space.id}/comments`, { token: home.token });
  const [event] = await createAuditLogClient(home).all({ action: 'comment.created' });
  return [comments.items[0]?.postedBy.displayName, event?.actor.label];
}

const readOwnName = async () => (await json<{ displayName: string }>('/v1/user', { token })).displayName;

test("the account of an installation shows the integration's current title, or its last title after the installation ends", async () => {
  expect([...(await readAccountNames()), await readOwnName()]).toEqual([
    'A first title',
    'A first title',
    'A first title',
  ]);
  await publishVersion(integration, { ...described, title: 'A second title' });
  expect([...(await readAccountNames()), await readOwnName()]).toEqual([
    'A second title',
    'A second title',
    'A second title',
  ]);

  const own = await makeIntegration(owner, { ...described, title: 'Another' });
  const installation = await install(own, home);
  const by = await actAs(own, installation);
  const comments = `/v1/spaces/${space.id}/comments`;
  const { id } = await json<{ id: string }>(comments, { token: by, body: { body: { markdown: 'Another remark.' } } });
  await publishVersion(own, { ...described, title: 'The last title' });
  await server.request(`/v1/integrations/${own.name}`, { token: owner.token, method: 'DELETE' });
  await makeIntegration(home, { name: own.name, title: 'A foreign title' });
  const { postedBy } = await json<Comment>(`${comments}/${id}`, { token: home.token });
  expect(postedBy.displayName).toBe('The last title');
});

test('the audit log names installations and integrations as actors, and installations as targets', async () => {
  const log = createAuditLogClient(home);
  const [comment] = await log.all({
    action: 'comment.created',
    actor: (await log.all({ action: 'comment.created' })).at(-1)?.actor.id ?? '',
  });
  const [changed] = await log.all({ action: 'installation.updated', target: installation.id });
  const [made] = await log.all({ action: 'installation.created', target: installation.id });
  const title = 'A second title';

  expect(comment).toMatchObject({
    actor: { type: 'installation', id: expect.stringMatching(/^acc_/), label: title },
    source: 'integration',
  });
  expect(changed).toMatchObject({ actor: { type: 'integration', label: title }, source: 'integration' });
  expect(made).toMatchObject({ actor: { type: 'user', id: home.user }, source: 'api' });
  for (const event of [changed, made]) {
    expect(event?.target).toEqual({ type: 'installation', id: installation.id, label: title });
  }
});

test('the audit log shows an uninstalled integration without its title, and no integration of another organization', async () => {
  const own = await makeIntegration(owner, { title: 'For a while' });
  const installation = await install(own, home);
  await server.request(getPath(own, installation), { token: home.token, method: 'DELETE' });

  const events = await createAuditLogClient(home).all({ target: installation.id });

  expect(events.map(({ action }) => action)).toEqual(['installation.deleted', 'installation.created']);
  for (const { target } of events) expect(target).toEqual({ type: 'installation', id: installation.id });
  expect(await createAuditLogClient(owner).all({ target: installation.id })).toEqual([]);
});
