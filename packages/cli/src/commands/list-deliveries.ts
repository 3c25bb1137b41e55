import type { WebhookDelivery } from '@octavo/schema';
import { DeliveryStatus } from '@octavo/schema';
import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { misuse } from '../failure.ts';
import { print } from '../terminal.ts';
import { attemptsOf, findWebhook } from '../webhooks.ts';
import { type Command, textOf } from './command.ts';

export const deliveries: Command = {
  summary: 'List what was sent to a webhook last, the newest first',
  usage: 'octavo webhook deliveries <id or address> [--status pending|delivered|dead] [--organization <id>] [--json]',
  options: { organization: { type: 'string' }, status: { type: 'string' }, json: { type: 'boolean' } },
  arguments: 1,
  run: async ({ values, positionals: [wanted = ''] }, terminal) => {
    const status = DeliveryStatus.optional().safeParse(textOf(values.status));
    if (!status.success) throw misuse(`--status is one of ${DeliveryStatus.options.join(', ')}.`);
    const api = connect(await findConnection(terminal.env));
    const params = await findWebhook(api, wanted, textOf(values.organization));
    const query = { limit: '50', ...(status.data !== undefined && { status: status.data }) };
    const { items } = await api.listWebhookDeliveries({ params, query });
    if (values.json) print(terminal, JSON.stringify(items, null, 2));
    else if (items.length > 0) for (const each of items) print(terminal, describe(each));
    else print(terminal, 'There are no deliveries.');
    return 0;
  },
};

function describe({ id, createdAt, event, status, attempts, answered, error }: WebhookDelivery): string {
  const outcome = error ?? (answered === undefined ? '' : `answered ${answered}`);
  return `${id}  ${createdAt}  ${event.type}  ${status} (${attemptsOf(attempts)})  ${outcome}`.trimEnd();
}
