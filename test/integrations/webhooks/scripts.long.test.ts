import { expect, test } from 'vitest';
import { json, makePage } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { type Installed, installScript } from '../scripts/scripted.ts';
import { receive } from './receiver.ts';
import { makeDeliveriesDue } from './webhook-client.ts';

const server = platform();
const wholeOrganization = { target: 'organization', scopes: ['space:content:read', 'space:metadata:read'] };

interface Run {
  installationId?: string;
  status: string;
  payload: { eventId: string; type: string; [field: string]: unknown };
}

const getRuns = async ({ name, owner }: Pick<Installed, 'name' | 'owner'>): Promise<Run[]> =>
  (await json<{ items: Run[] }>(`/v1/integrations/${name}/events`, { token: owner.token })).items;

const getRun = (installed: Installed, type: string): Promise<Run> =>
  until(async () => (await getRuns(installed)).find(({ payload }) => payload.type === type));

const listDeliveriesTo = ({ id }: Pick<Installed, 'id'>) =>
  query<{ type: string; status: string; attempts: number; answered: number | null; error: string | null }>(
    'SELECT type, status, attempts, answered, error FROM deliveries WHERE subscription GLOB ? ORDER BY seq',
    `${id}-script*`,
  );

const waitForSettled = (installed: Installed, type: string) =>
  until(() => listDeliveriesTo(installed).find((each) => each.type === type && each.status !== 'pending'));

test('scripts installed in an organization receive its events in the specified format', async () => {
  const installed = await installScript(server, getScript("return new Response('OK');"), wholeOrganization);
  const { owner, id } = installed;
  const space = await server.makeSpace({ organization: owner });
  await makePage({ id: space.id, token: owner.token }, 'A page');
  const { payload, ...run } = await getRun(installed, 'space_content_updated');

  expect(run).toMatchObject({ status: 'success', installationId: id });
  expect(payload).toEqual({
    ...{ eventId: expect.stringMatching(/^evt_/), type: 'space_content_updated', installationId: id },
    ...{ spaceId: space.id, revisionId: expect.stringMatching(/^rev_/) },
    updatedBy: [
      {
        ...{ object: 'user', id: owner.user, displayName: 'A tester' },
        urls: { location: expect.stringMatching(new RegExp(`/v1/users/${owner.user}$`)) },
      },
    ],
  });
  // Events of different objects are not ordered.
  for (const type of ['installation_setup', 'space.created']) await getRun(installed, type);
  const types = (await getRuns(installed)).map(({ payload: { type } }) => type);
  expect(types.filter((type) => type === 'installation_setup')).toHaveLength(1);
});

test('a script receives the event of its uninstallation', async () => {
  const installed = await installScript(server, getScript("return new Response('OK');"));
  const { name, owner, id } = installed;
  await getRun(installed, 'installation_setup');
  await server.request(`/v1/integrations/${name}/installations/${id}`, { token: owner.token, method: 'DELETE' });
  const { payload } = await getRun(installed, 'installation_deleted');

  // The owner of a deleted installation can no longer be determined, so the event contains only ids.
  expect(payload).toMatchObject({ type: 'installation_deleted', installationId: id });
  await waitForSettled(installed, 'installation.deleted');
});

const createRespondingScript = (status: number): string =>
  getScript(`return new Response(null, { status: ${status} });`);
const ended: [string, string, object, number][] = [
  ['accepts it', createRespondingScript(204), { status: 'delivered', attempts: 1, answered: 204, error: null }, 1],
  [
    'handles no such events',
    createRespondingScript(406),
    { status: 'delivered', attempts: 1, answered: 406, error: null },
    0,
  ],
  ['refuses it', createRespondingScript(422), { status: 'dead', attempts: 1, error: 'The script returned 422.' }, 1],
];

test.each(ended)('gives up on an event for a script that %s', async (_, script, expected, runs) => {
  const installed = await installScript(server, script);

  expect(await waitForSettled(installed, 'installation.created')).toMatchObject(expected);
  expect(await getRuns(installed)).toHaveLength(runs);
});

const failing: [string, string, number][] = [
  ['asks for a retry', createRespondingScript(429), 429],
  ['responds with an error', createRespondingScript(503), 503],
  ['throws', getScript("throw new Error('broken');"), 500],
  ['never ends', getScript('for (;;);'), 504],
];

test.each(failing)('a script that %s gets the event again, with the same ID', async (_, script, answered) => {
  const installed = await installScript(server, script);
  const first = await until(() => listDeliveriesTo(installed).find(({ attempts }) => attempts >= 1));
  expect(first).toMatchObject({ status: 'pending', answered });
  await makeDeliveriesDue(`${installed.id}-script`);
  await until(() => (listDeliveriesTo(installed).some(({ attempts }) => attempts > 1) ? true : undefined));
  const runs = await until(async () => {
    const runs = await getRuns(installed);
    return runs.length > 1 ? runs : undefined;
  });

  expect(runs.every(({ status }) => status === 'failed')).toBe(true);
  expect(new Set(runs.map(({ payload }) => payload.eventId)).size).toBe(1);
});

test('an integration without event handlers causes no runs and no deliveries', async () => {
  const receiver = await receive();
  const installed = await installScript(server, getScript("return new Response('OK');"), {
    ...{ ...wholeOrganization, events: [], webhook: receiver.url },
  });
  await server.makeSpace({ organization: installed.owner });
  await until(() =>
    query('SELECT seq FROM feed WHERE organization = ?', installed.owner.id).length === 0 ? true : undefined,
  );

  expect(listDeliveriesTo(installed)).toEqual([]);
  expect(await getRuns(installed)).toEqual([]);
  expect(receiver.received).toEqual([]);
});
