import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { print, warn } from '../terminal.ts';
import { findWebhook } from '../webhooks.ts';
import { type Command, textOf } from './command.ts';

export const testWebhook: Command = {
  summary: 'Have a webhook sent a ping now, and tell what it answers; exits with 1 where it does not take it',
  usage: 'octavo webhook test <id or address> [--organization <id>]',
  options: { organization: { type: 'string' } },
  arguments: 1,
  run: async ({ values, positionals: [wanted = ''] }, terminal) => {
    const api = connect(await findConnection(terminal.env));
    const params = await findWebhook(api, wanted, textOf(values.organization));
    const { delivered, milliseconds, status, error, answer } = await api.testWebhook({ params });
    const said = status === undefined ? (error ?? 'no answer') : `status ${status}${answer ? `: ${answer}` : ''}`;
    if (delivered) print(terminal, `Delivered in ${milliseconds} ms, ${said}`);
    else warn(terminal, `octavo: Not delivered after ${milliseconds} ms, ${said}`);
    return delivered ? 0 : 1;
  },
};
