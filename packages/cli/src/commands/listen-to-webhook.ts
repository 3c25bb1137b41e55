import { misuse } from '../failure.ts';
import { interrupted } from '../interrupted.ts';
import { type LocalAnswer, type LocalRequest, listenLocally } from '../local-server.ts';
import { print } from '../terminal.ts';
import { faultOfSignature } from '../webhook-signature.ts';
import { type Command, textOf } from './command.ts';
import { wholeNumber } from './whole-number.ts';

export const listenToWebhook: Command = {
  summary: 'Receive what a webhook posts on a port of this machine: check signatures, print events, until Ctrl-C',
  usage: 'octavo webhook listen --secret <secret> [--port <number>] [--status <number>]',
  options: { secret: { type: 'string' }, port: { type: 'string' }, status: { type: 'string' } },
  arguments: 0,
  run: async ({ values }, terminal) => {
    const secret = textOf(values.secret) ?? terminal.env.OCTAVO_WEBHOOK_SECRET;
    if (!secret) throw misuse('Signatures are checked with --secret, or with OCTAVO_WEBHOOK_SECRET.');
    const status = wholeNumber('status', textOf(values.status) ?? '204', 200, 599);
    const port = wholeNumber('port', textOf(values.port) ?? '0', 0, 65_535);
    const { url, close } = await listenLocally(port, async (request) => {
      const { line, answer } = receive(request, secret, status);
      print(terminal, line);
      return answer;
    });
    print(terminal, `Listening on ${url}, and answering with ${status}.`);
    await interrupted();
    await close();
    return 0;
  },
};

function receive(
  { headers, body }: LocalRequest,
  secret: string,
  status: number,
): { line: string; answer: LocalAnswer } {
  const type = headers['x-octavo-event'] ?? 'No event';
  const fault = faultOfSignature(headers['x-octavo-signature'] ?? '', body, secret, Date.now());
  return fault === undefined
    ? { line: `${type} ${headers['x-octavo-delivery'] ?? ''} ${body}`, answer: { status } }
    : {
        line: `${type} refused for its signature: ${fault}.`,
        answer: { status: 401, body: `The signature: ${fault}.` },
      };
}
