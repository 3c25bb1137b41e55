import type { ScriptHead } from '@octavo/script-isolate';
import { beforeOutcome, decodeHead, encodeLog, encodeOutcome, headHeader, runIsolate } from '@octavo/script-isolate';
import type { ProcessEnvironment } from './outbound.ts';
import { allowRequests } from './outbound.ts';

export { Outbound } from './outbound.ts';

/** Script sources by key. The script host replaces a process that caches too many of them. */
const scripts = new Map<string, string>();

async function cacheScript(request: Request, name: string): Promise<Response> {
  scripts.set(name, await request.text());
  return new Response(null, { status: 204 });
}

function readScript({ script }: ScriptHead): string {
  const text = scripts.get(script);
  if (text === undefined) throw new TypeError('The text of the script is missing.');
  return text;
}

type OutboundFor = (options: { props: object }) => Fetcher;

/**
 * Runs a script. Streams its console messages and then its outcome, so that the messages are known even if the run is
 * killed.
 */
async function runScript(
  { head, request, env, outbound }: { head: ScriptHead; request: Request; env: ProcessEnvironment; outbound: Fetcher },
  writer: WritableStreamDefaultWriter<Uint8Array>,
): Promise<void> {
  const { isolate: name, limits } = head;
  const isolate = { name, script: async () => readScript(head), outbound };
  // A write fails if the reader has disconnected. The error is ignored.
  const write = (bytes: Uint8Array) => void writer.write(bytes).catch(() => undefined);
  const outcome = await runIsolate(env.LOADER, isolate, { request, limits, writeLog: (log) => write(encodeLog(log)) });
  write(beforeOutcome);
  write(encodeOutcome(outcome));
  await writer.close().catch(() => undefined);
}

export default {
  async fetch(request, env, context) {
    const head = decodeHead(request.headers.get(headHeader) ?? '');
    if (request.method === 'PUT') return cacheScript(request, head.script);
    allowRequests(head.limits.requests);
    const headers = { 'content-type': request.headers.get('content-type') ?? '' };
    // The body is read completely before the script runs. If the script did not read it, the sender would be
    // interrupted.
    const body = await request.arrayBuffer();
    const scriptRequest = new Request('http://integration/v1', { method: 'POST', headers, body });
    const { Outbound: outboundFor } = context.exports as unknown as { Outbound: OutboundFor };
    const outbound = outboundFor({ props: { tenant: head.tenant } });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    context.waitUntil(runScript({ head, request: scriptRequest, env, outbound }, writable.getWriter()));
    return new Response(readable);
  },
} satisfies ExportedHandler<ProcessEnvironment>;
