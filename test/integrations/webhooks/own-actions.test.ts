import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { actAs, change, getPath, install, makeIntegration } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { receive } from './receiver.ts';

const server = platform();
const body = { body: { markdown: 'Seen.' } };

/** A script that comments on every comment that it receives. If it received its own comments, it would never stop. */
const answersComments = getScript(`
  if (event.type !== 'comment.created') return new Response(null, { status: 406 });
  const { apiEndpoint, apiTokens } = environment;
  const headers = { authorization: 'Bearer ' + apiTokens.installation, 'content-type': 'application/json' };
  const body = ${JSON.stringify(JSON.stringify(body))};
  const { status } = await fetch(apiEndpoint + '/v1/spaces/' + event.spaceId + '/comments', { method: 'POST', headers, body });
  return new Response(null, { status: status === 201 ? 200 : 500 });`);

async function installAnsweringScript(organization: TestOrganization, script = answersComments) {
  const { url } = await receive();
  const key = { account: { properties: { key: { type: 'string' }, size: { type: 'number' } }, required: ['key'] } };
  const described = { target: 'organization', scopes: ['space:content:write'], configurations: key, webhook: url };
  const integration = await makeIntegration(organization, { ...described, script });
  const installation = await install(integration, organization);
  const path = getPath(integration, installation);
  return { integration, installation, path };
}

/** Returns the deliveries to an installation, in the order of their events. */
const listDeliveriesTo = ({ id }: { id: string }, kind: string) =>
  query<{ type: string; actor: string }>(
    `SELECT d.type, o.actor FROM deliveries d JOIN outbox o ON o.id = d.event WHERE d.subscription = ? ORDER BY d.seq`,
    `${id}-${kind}`,
  );

test('actions of an installation are sent to all other receivers, but not to its own script or URL', async () => {
  const organization = await server.makeOrganization();
  const { installation, path } = await installAnsweringScript(organization);
  const other = await installAnsweringScript(organization, getScript('return new Response();'));
  for (const each of [path, other.path]) await change(each, organization.token, { configuration: { key: 'set' } });
  const { id } = await server.makeSpace({ organization });
  const comments = `/v1/spaces/${id}/comments`;
  const count = (to: { id: string }, kind: string) =>
    listDeliveriesTo(to, kind).filter(({ type }) => type === 'comment.created').length;
  for (const eventCount of [2, 4]) {
    await json(comments, { token: organization.token, body });
    await until(() => (count(other.installation, 'script') === eventCount ? true : undefined));
  }

  for (const kind of ['script', 'webhook']) {
    const own = listDeliveriesTo(installation, kind).filter(({ type }) => type === 'comment.created');
    expect([kind, ...own.map(({ actor }) => actor)]).toEqual([kind, organization.user, organization.user]);
  }
});

test.each(['integration', 'installation'])(
  'a configuration change by the %s itself is sent only if it changes the status',
  async (by) => {
    const organization = await server.makeOrganization();
    const { integration, installation, path } = await installAnsweringScript(organization);
    const token = by === 'integration' ? integration.token : await actAs(integration, installation);
    const set = (caller: string, size: number) =>
      change(path, caller, { configuration: { size, ...(size > 1 ? { key: 'set' } : {}) } });
    // The first change keeps the status pending, the second makes it active, and the third keeps it active. The last
    // change is made by a person and keeps it active too.
    for (const size of [1, 2, 3]) await set(token, size);
    await set(organization.token, 4);
    const listDeliveries = () =>
      listDeliveriesTo(installation, 'script').map(({ type, actor }) => [type, actor === organization.user]);
    await until(() => (listDeliveries().filter(([, byPerson]) => byPerson).length === 2 ? true : undefined));

    expect(listDeliveries()).toEqual([
      ['installation.created', true],
      ['installation.updated', false],
      ['installation.updated', true],
    ]);
  },
);
