import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { change, getPath, install, makeIntegration } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { receive } from './receiver.ts';
import { feedEvents, holdAllDeliveries } from './subscribers.ts';
import { makeDeliveriesDue } from './webhook-client.ts';

const server = platform();
const script = getScript("return new Response('no', { status: event.type === 'installation_deleted' ? 200 : 500 });");
const kinds = ['webhook', 'script', 'webhook-end', 'script-end'];

const getPending = ({ id }: TestInstallation): string[] =>
  query<{ type: string }>(
    "SELECT type FROM deliveries WHERE subscription GLOB ? AND status = 'pending' ORDER BY seq",
    `${id}-*`,
  ).map(({ type }) => type);

const getStatus = (id: string): string | undefined =>
  query<{ status: string }>('SELECT status FROM subscriptions WHERE id = ?', id)[0]?.status;

async function getRuns({ name, owner }: TestIntegration): Promise<string[]> {
  const { items } = await json<{ items: { payload: { type: string } }[] }>(`/v1/integrations/${name}/events`, {
    token: owner.token,
  });
  return items.map(({ payload: { type } }) => type);
}

/** Creates an installation with events pending for its webhook and its script. */
async function createInstallationWithPendingEvents(home: TestOrganization, webhook: string) {
  const scopes = ['space:metadata:read'];
  const integration = await makeIntegration(home, { target: 'organization', scopes, script, webhook });
  const installation = await install(integration, home);
  await server.makeSpace({ organization: home });
  await until(() => (getPending(installation).length >= 4 ? true : undefined));
  return { integration, installation, path: getPath(integration, installation) };
}

test.each(['active', 'paused'])(
  'a webhook or installation that was %s receives only the event of its deletion',
  async (status) => {
    const home = await server.makeOrganization();
    const receiver = await receive((_, response) => response.writeHead(500).end());
    const { integration, installation, path } = await createInstallationWithPendingEvents(home, receiver.url);
    const { id } = installation;
    await feedEvents(home, ['spc_late']);
    if (status === 'paused') await change(path, home.token, { status });
    // Prevents deliveries between the count and the end of the installation.
    await holdAllDeliveries(id);
    const leased = 'SELECT 1 FROM subscriptions WHERE installation = ? AND lease IS NOT NULL';
    const [sent, runs] = [receiver.received.length, (await getRuns(integration)).length];

    expect((await server.request(path, { token: home.token, method: 'DELETE' })).status).toBe(205);
    for (const kind of kinds) await makeDeliveriesDue(`${id}-${kind}`);
    await until(async () => {
      if (getStatus(`${id}-script-end`) === 'ended') return true;
      await makeDeliveriesDue(`${id}-script-end`);
      return undefined;
    });
    const readTypes = () => receiver.received.slice(sent).map(({ type }) => type);
    for (let tries = 1; tries <= 2; tries += 1) {
      await receiver.until(() => readTypes().length >= tries);
      await until(() => (query(leased, id).length === 0 ? true : undefined));
      for (const kind of kinds) await makeDeliveriesDue(`${id}-${kind}`);
    }

    expect(new Set(readTypes())).toEqual(new Set(['installation_deleted']));
    const all = await getRuns(integration);
    expect(all.slice(0, all.length - runs)).toEqual(['installation_deleted']);
    expect(kinds.slice(0, 2).map((kind) => getStatus(`${id}-${kind}`))).toEqual(['ended', 'ended']);
  },
);
