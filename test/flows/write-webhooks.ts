import { getWebhooks, makeDisabledWebhook } from '../integrations/webhooks/webhook-client.ts';
import type { TestOrganization } from '../support/platform.ts';
import type { Writer } from './walk-beyond.ts';

/** Calls all write operations of webhooks. */
export async function writeWebhooks(writer: Writer, organization: TestOrganization): Promise<void> {
  const owner = { organizationId: organization.id };
  const webhook = await writer.send('createWebhook', owner, { body: { url: 'http://127.0.0.1:9/', active: false } });
  const ids = { ...owner, webhookId: webhook.id };
  await writer.send('updateWebhook', ids, { body: { description: 'Ours' } });
  await writer.send('rotateWebhookSecret', ids);
  await writer.send('deleteWebhook', ids);
  const listDeadDeliveries = async () => {
    const webhookId = await makeDisabledWebhook(organization);
    const hooks = getWebhooks(organization);
    const [delivery] = (await hooks.deliveries(webhookId)).items;
    await hooks.update(webhookId, { active: true });
    return { ...owner, webhookId, deliveryId: delivery?.id ?? '' };
  };
  await writer.send('redeliverToWebhook', await listDeadDeliveries());
  // A redelivered delivery is not dead until its new attempt fails, so this operation uses a new webhook.
  await writer.send('redeliverDeadToWebhook', await listDeadDeliveries(), {
    body: { since: new Date(0).toISOString() },
  });
}
