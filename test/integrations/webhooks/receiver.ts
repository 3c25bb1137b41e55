import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveLocally } from '../../support/local-server.ts';

/** A request that a receiver got. */
export interface Received {
  delivery: string;
  type: string;
  signature: string;
  text: string;
  body: {
    id: string;
    type: string;
    organization: string;
    space?: string;
    actor: string;
    data: Record<string, unknown>;
  };
  at: number;
}

type Responder = (received: Received, response: ServerResponse, request: IncomingMessage) => unknown;

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const getHeader = ({ headers }: IncomingMessage, name: string): string => String(headers[name] ?? '');

/** Starts a webhook receiver on loopback that records requests. By default, it responds with 200. */
export async function receive(respond: Responder = (_, response) => response.end('thanks')) {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const url = await serveLocally(async (request, response) => {
    const text = await read(request);
    const got: Received = {
      delivery: getHeader(request, 'x-octavo-delivery'),
      type: getHeader(request, 'x-octavo-event'),
      signature: getHeader(request, 'x-octavo-signature'),
      text,
      body: JSON.parse(text) as Received['body'],
      at: Date.now(),
    };
    received.push(got);
    respond(got, response, request);
    for (const look of [...waiting]) look();
  });

  /** Waits until the received requests satisfy a condition. */
  function until(isEnough: (received: Received[]) => boolean): Promise<Received[]> {
    const { promise, resolve } = Promise.withResolvers<Received[]>();
    const checkReceived = () => {
      if (!isEnough(received)) return;
      waiting.delete(checkReceived);
      resolve(received);
    };
    waiting.add(checkReceived);
    checkReceived();
    return promise;
  }

  const waitForTypes = (...types: string[]) =>
    until((all) => types.every((type) => all.some((each) => each.type === type)));
  return { url, received, until, got: waitForTypes };
}

/** Whether a delivery was signed with this secret within the last two minutes. */
export function isSignedWith(secret: string, { signature, text }: Received): boolean {
  const [, time] = /^t=(\d+),/.exec(signature) ?? [];
  const expectedSignature = createHmac('sha256', secret).update(`${time}.${text}`).digest('hex');
  return signature.split(',').includes(`v1=${expectedSignature}`) && Math.abs(Date.now() / 1000 - Number(time)) < 120;
}
