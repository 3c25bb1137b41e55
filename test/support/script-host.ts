import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import {
  decodeOutcome,
  encodeHead,
  headHeader,
  type ScriptHead,
  type ScriptLimits,
  type ScriptOutcome,
  scriptLimits,
  textHeader,
} from '@octavo/script-isolate/frame';

export interface HostRun {
  script: string;
  tenant?: string;
  caller?: string;
  isPublic?: boolean;
  isolate?: string;
  event?: object;
  environment?: object;
  limits?: Partial<ScriptLimits>;
}

interface Form {
  type: string;
  bytes: Uint8Array;
}

async function send(dataDir: string, head: ScriptHead, form: Form, text?: string): Promise<[number, Buffer]> {
  const before = Buffer.from(text ?? '');
  const headers = {
    [headHeader]: encodeHead(head),
    'content-type': form.type,
    ...(text === undefined ? {} : { [textHeader]: String(before.length) }),
  };
  const call = request({ socketPath: path.join(dataDir, 'scripts.sock'), method: 'POST', path: '/', headers });
  // The host may respond before it has read the whole body, which causes an error here.
  call.on('error', () => undefined);
  call.write(before);
  call.end(form.bytes);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return [response.statusCode ?? 0, Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>))];
}

/** Runs a script on a platform's script host, as the platform itself does. */
export async function runOnHost(dataDir: string, run: HostRun): Promise<ScriptOutcome & { text: string }> {
  const { script, tenant = randomUUID(), limits, event = { type: 'fetch', eventId: 'one' }, environment = {} } = run;
  const { caller = tenant, isPublic = false } = run;
  const name = createHash('sha256').update(script).digest('hex');
  const isolate = `${name}@${run.isolate ?? tenant}`;
  const head = { tenant, caller, isPublic, isolate, script: name, limits: { ...scriptLimits, ...limits } };
  const form = new FormData();
  form.set('event', JSON.stringify(event));
  form.set('environment', JSON.stringify(environment));
  const filled = new Response(form);
  const encoded = { type: filled.headers.get('content-type') ?? '', bytes: await filled.bytes() };
  let [status, bytes] = await send(dataDir, head, encoded);
  if (status === 404) [status, bytes] = await send(dataDir, head, encoded, script);
  if (status !== 200) throw new Error(`The host answered ${status}.`);
  const outcome = decodeOutcome(bytes);
  return { ...outcome, text: outcome.ok ? Buffer.from(outcome.body).toString() : outcome.message };
}

/** Builds a script whose handler is this code. The code can use `request`, `event` and `environment`. */
export const getScript = (code: string, imports = ''): string => `${imports}
export default {
  async fetch(request, env, context) {
    const form = await request.formData();
    const event = JSON.parse(form.get('event'));
    const environment = JSON.parse(form.get('environment'));
    ${code}
  },
};
`;
