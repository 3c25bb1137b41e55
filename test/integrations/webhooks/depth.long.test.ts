import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { install, makeIntegration } from '../../support/integrations.ts';
import { serveLocally } from '../../support/local-server.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { receive } from './receiver.ts';
import { getWebhooks, sweepDeliveries as runMinute } from './webhook-client.ts';

const server = platform();
const body = { body: { markdown: 'Seen.' } };

/**
 * Expressions for the token with which a script comments: the installation token in the environment, or one that the
 * script creates.
 */
const byToken = 'environment.apiTokens.installation';
const byTokenOfItsOwn = `(await call('/v1/integrations/' + environment.integration.name + '/installations/' + installation + '/tokens',
  environment.apiTokens.integration, {})).token`;

/** A script that comments on each comment event that it receives, directly or through a task that it schedules. */
const createAnsweringScript = (token: string, { byTask = false } = {}) =>
  getScript(`
  const call = async (path, token, body) => {
    const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(environment.apiEndpoint + path, sent);
    if (!answer.ok) throw new Error(answer.status + await answer.text());
    return answer.status === 200 || answer.status === 201 ? answer.json() : {};
  };
  const { type } = event;
  if (type !== 'comment.created' && type !== 'task') return new Response(null, { status: 406 });
  const { space, installation } = type === 'task' ? event.task.payload : { space: event.spaceId, installation: event.installationId };
  if (${byTask} && type !== 'task') {
    const task = { schedule: 0, task: { type: 'comment', payload: { space, installation } } };
    await call('/v1/integrations/' + environment.integration.name + '/tasks', environment.apiTokens.integration, task);
  } else await call('/v1/spaces/' + space + '/comments', ${token}, ${JSON.stringify(body)});
  return new Response();`);

async function installAnsweringScript(organization: TestOrganization, script: string): Promise<void> {
  const described = { target: 'organization', scopes: ['space:content:write'], events: ['comment.created'] };
  await install(await makeIntegration(organization, { ...described, script }), organization);
}

/** Counts the comment events at each depth. */
const getDepths = ({ id }: TestOrganization) =>
  query<{ depth: number; count: number }>(
    `SELECT depth, COUNT(*) AS count FROM outbox WHERE organization = ? AND type = 'comment.created'
      GROUP BY depth ORDER BY depth`,
    id,
  ).map(({ depth, count }) => [depth, count]);

const isDone = ({ id }: TestOrganization) =>
  query('SELECT 1 FROM feed WHERE organization = ?', id).length === 0 &&
  query('SELECT 1 FROM subscriptions WHERE organization = ? AND (waiting > 0 OR lease IS NOT NULL)', id).length === 0;

test('stops loops between integrations, while webhooks receive all events', async () => {
  const organization = await server.makeOrganization();
  const { id: space } = await server.makeSpace({ organization });
  for (let index = 0; index < 2; index += 1) await installAnsweringScript(organization, createAnsweringScript(byToken));
  const receiver = await receive();
  await getWebhooks(organization).create(receiver.url, { events: ['comment.created'] });

  await json(`/v1/spaces/${space}/comments`, { token: organization.token, body });

  await receiver.until((all) => all.length === 11);
  await until(() => (isDone(organization) ? true : undefined));
  // Both integrations receive the user's comment. The comment of one integration is sent only to the other.
  expect(getDepths(organization)).toEqual([[0, 1], ...[1, 2, 3, 4, 5].map((depth) => [depth, 2])]);
  expect(receiver.received).toHaveLength(11);
  await json(`/v1/spaces/${space}/comments`, { token: organization.token, body });
  await receiver.until((all) => all.length === 22);
});

test.each([
  ['a token that it asks for', createAnsweringScript(byTokenOfItsOwn)],
  ['a task that it queues', createAnsweringScript(byTokenOfItsOwn, { byTask: true })],
])('counts requests that a script makes through %s as actions of the script', async (_, script) => {
  const organization = await server.makeOrganization();
  const { id: space } = await server.makeSpace({ organization });
  await installAnsweringScript(organization, script);
  await installAnsweringScript(organization, createAnsweringScript(byToken));

  await json(`/v1/spaces/${space}/comments`, { token: organization.token, body });

  await until(async () => {
    await runMinute();
    return getDepths(organization).some(([depth, count]) => depth === 5 && count === 2) && isDone(organization)
      ? true
      : undefined;
  });
  expect(getDepths(organization)).toEqual([[0, 1], ...[1, 2, 3, 4, 5].map((depth) => [depth, 2])]);
});

test('events of an import that a script started count as actions of the script', async () => {
  const url = await serveLocally((_, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end('<title>A page</title><main><h1>A page</h1><p>Text.</p></main>'),
  );
  const organization = await server.makeOrganization();
  const { id: space } = await server.makeSpace({ organization });
  const imports = `(await call('/v1/spaces/' + space + '/content/import', ${byToken}, ${JSON.stringify({ url, source: 'website' })}), ${byToken})`;
  await installAnsweringScript(organization, createAnsweringScript(imports));

  await json(`/v1/spaces/${space}/comments`, { token: organization.token, body });

  const readEvents = () =>
    query<{ type: string; depth: number }>(
      "SELECT type, depth FROM outbox WHERE space = ? AND (type GLOB 'import.*' OR type = 'revision.created') ORDER BY type",
      space,
    );
  await until(() => (readEvents().some(({ type }) => type === 'import.completed') ? true : undefined));
  const ofImport = readEvents().filter(({ depth }) => depth > 0);
  expect(ofImport.map(({ type, depth }) => [type, depth])).toEqual([
    ['import.completed', 1],
    ['import.started', 1],
    ['revision.created', 1],
  ]);
});
