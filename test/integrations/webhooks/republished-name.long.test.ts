import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { getPath, install, makeIntegration } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import type { Received } from './receiver.ts';
import { receive } from './receiver.ts';
import { feedEvents } from './subscribers.ts';
import { makeDeliveriesDue, sweepDeliveries } from './webhook-client.ts';

const server = platform();
const described = { target: 'organization', scopes: ['space:metadata:read', 'space:content:read'] };
const kinds = ['webhook', 'script', 'webhook-end', 'script-end'];

interface Installed {
  integration: TestIntegration;
  installation: TestInstallation;
}

const unpublish = ({ name, owner }: TestIntegration) =>
  server.request(`/v1/integrations/${name}`, { token: owner.token, method: 'DELETE' });

const uninstall = ({ integration, installation }: Installed, { token }: TestOrganization) =>
  server.request(getPath(integration, installation), { token, method: 'DELETE' });

const getPending = ({ installation: { id } }: Installed): number =>
  query("SELECT 1 FROM deliveries WHERE subscription GLOB ? AND status = 'pending'", `${id}-*`).length;

const getStatuses = ({ installation: { id } }: Installed): string[] =>
  query<{ status: string }>('SELECT status FROM subscriptions WHERE installation = ?', id).map(({ status }) => status);

/** Creates an integration whose webhook and script fail, so that its events stay pending. */
async function installFailing(customer: TestOrganization): Promise<Installed> {
  const refusing = await receive((_, response) => response.writeHead(500).end());
  const script = getScript("return new Response('no', { status: 500 });");
  const owner = await server.makeOrganization();
  const integration = await makeIntegration(owner, { ...described, script, webhook: refusing.url });
  const installed = { integration, installation: await install(integration, customer) };
  await server.makeSpace({ organization: customer });
  await until(() => (getPending(installed) >= 4 ? true : undefined));
  return installed;
}

/** Publishes another organization's integration with the same name, which receives events of its own installation. */
async function republishName({
  integration: { name },
}: Installed): Promise<{ received: Received[]; taker: TestOrganization }> {
  const receiver = await receive();
  const taker = await server.makeOrganization();
  const script = getScript("return new Response('OK');");
  const next = await makeIntegration(taker, { ...described, name, script, webhook: receiver.url });
  await install(next, taker);
  await receiver.got('installation_setup');
  return { received: receiver.received, taker };
}

async function getRuns({ name }: TestIntegration, { token }: TestOrganization): Promise<(string | undefined)[]> {
  const { items } = await json<{ items: { installationId?: string }[] }>(`/v1/integrations/${name}/events`, { token });
  return items.map(({ installationId }) => installationId);
}

const ends = {
  'unpublished while events wait': async (installed: Installed) => {
    await unpublish(installed.integration);
    expect(getStatuses(installed)).toEqual(['ended', 'ended']);
  },
  'uninstalled and then unpublished': async (installed: Installed, customer: TestOrganization) => {
    await uninstall(installed, customer);
    await unpublish(installed.integration);
  },
};

test.each(Object.entries(ends))(
  '%s: the next integration of the same name receives none of its events',
  async (_, end) => {
    const customer = await server.makeOrganization();
    const installed = await installFailing(customer);
    const { id } = installed.installation;
    await end(installed, customer);
    const { received, taker } = await republishName(installed);

    // The new integration was never installed here, so it receives no events, even if the old subscription is active or
    // draining.
    for (const status of ['active', 'draining']) {
      await writeDatabase(server, 'UPDATE subscriptions SET status = ? WHERE installation = ?', status, id);
      await feedEvents(customer, ['spc_a']);
      await writeDatabase(
        server,
        `INSERT INTO outbox (id, type, organization, actor, request_id, data, created_at, done_at)
        VALUES (?, 'installation.updated', ?, 'system', 'req_x', ?, 1, 1)`,
        ...[
          `evt_${customer.id}_${status}`,
          customer.id,
          JSON.stringify({ installation: id, status: 'active', previous: 'paused' }),
        ],
      );
      for (const kind of kinds) await makeDeliveriesDue(`${id}-${kind}`);
      await until(async () => {
        await sweepDeliveries();
        return getPending(installed) === 0 ? true : undefined;
      });
    }
    await until(() =>
      query('SELECT 1 FROM feed WHERE organization = ?', customer.id).length === 0 ? true : undefined,
    );

    expect(received.filter(({ body }) => JSON.stringify(body).includes(id))).toEqual([]);
    expect(await getRuns(installed.integration, taker)).not.toContain(id);
    expect(query("SELECT 1 FROM deliveries WHERE subscription GLOB ? AND status = 'delivered'", `${id}-*`)).toEqual([]);
    expect(
      query('SELECT 1 FROM deliveries d WHERE subscription GLOB ? AND event GLOB ?', `${id}-*`, `evt_${customer.id}*`),
    ).toEqual([]);
  },
);
