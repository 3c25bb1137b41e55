import { getWebhooks, makeSettledWebhook } from '../integrations/webhooks/webhook-client.ts';
import type { TestOrganization } from '../support/platform.ts';
import type { Writer } from './walk-beyond.ts';

/** Calls all write operations of webhooks. */
export async function writeWebhooks(writer: Writer, organization: TestOrganization): Promise<void> {
  const owner = { organizationId: organization.id };
  const made = await writer.send('createWebhook', owner, { body: { url: 'http://127.0.0.1:9/', active: false } });
  const ids = { ...owner, webhookId: made.id };
  await writer.send('updateWebhook', ids, { body: { description: 'Ours' } });
  await writer.send('rotateWebhookSecret', ids);
  await writer.send('deleteWebhook', ids);
  const ofDead = async () => {
    const webhookId = await makeSettledWebhook(organization);
    const hooks = getWebhooks(organization);
    const [delivery] = (await hooks.deliveries(webhookId)).items;
    await hooks.update(webhookId, { active: true });
    return { ...owner, webhookId, deliveryId: delivery?.id ?? '' };
  };
  await writer.send('redeliverToWebhook', await ofDead());
  // A delivery that is sent again is not dead until the attempt fails, so this operation uses a new webhook.
  await writer.send('redeliverDeadToWebhook', await ofDead(), { body: { since: new Date(0).toISOString() } });
}
