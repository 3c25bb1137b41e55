import type { PausedReason, Webhook } from '@octavo/schema';
import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { print } from '../terminal.ts';
import { attemptsOf, listWebhooks, organizationsOf } from '../webhooks.ts';
import { type Command, textOf } from './command.ts';

export const webhooks: Command = {
  summary: 'List webhooks: their ids, whether they are active, their addresses and events',
  usage: 'octavo webhook list [--organization <id>] [--json]',
  options: { organization: { type: 'string' }, json: { type: 'boolean' } },
  arguments: 0,
  run: async ({ values }, terminal) => {
    const api = connect(await findConnection(terminal.env));
    const listed: Webhook[] = [];
    for (const organization of await organizationsOf(api, textOf(values.organization)))
      listed.push(...(await listWebhooks(api, organization)));
    if (values.json) print(terminal, JSON.stringify(listed, null, 2));
    else if (listed.length > 0) for (const each of listed) print(terminal, describe(each));
    else print(terminal, 'There are no webhooks.');
    return 0;
  },
};

const reasons: Record<PausedReason, string> = {
  failing: 'nothing was delivered for a week',
  gone: 'its receiver answered 410',
  full: 'too much waited for it',
  requested: 'as somebody asked for',
};

function stateOf({ active, pausedReason, pausedSince, failing }: Webhook): string {
  if (!active) {
    const reason = pausedReason === undefined ? '' : `: ${reasons[pausedReason]}`;
    return `paused${pausedSince === undefined ? '' : ` since ${pausedSince}`}${reason}`;
  }
  if (failing === undefined) return 'active';
  return `failing since ${failing.since} (${attemptsOf(failing.attempts)}, ${failing.givenUp} given up)`;
}

function describe(webhook: Webhook): string {
  const { id, url, events } = webhook;
  return `${id}  ${stateOf(webhook)}  ${url}  ${events.join(', ')}`;
}
