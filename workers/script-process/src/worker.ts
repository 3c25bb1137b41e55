import type { ScriptHead } from '@octavo/script-isolate';
import { beforeOutcome, encodeLog, encodeOutcome, headHeader, headOf, runIsolate } from '@octavo/script-isolate';
import type { ProcessEnvironment } from './environment.ts';
import { allowRequests } from './outbound.ts';

export { Outbound } from './outbound.ts';

/** The texts that were handed in, by their names. Whoever hands them in starts another process when it gets too many. */
const scripts = new Map<string, string>();

async function keepScript(request: Request, name: string): Promise<Response> {
  scripts.set(name, await request.text());
  return new Response(null, { status: 204 });
}

function textOf({ script }: ScriptHead): string {
  const text = scripts.get(script);
  if (text === undefined) throw new TypeError('The text of the script was not handed in.');
  return text;
}

type OutboundFor = (options: { props: object }) => Fetcher;

/** Runs a script; tells of its console as it goes, so that it is known of one that is ended from without, and of its end. */
async function run(
  { head, request, env, outbound }: { head: ScriptHead; request: Request; env: ProcessEnvironment; outbound: Fetcher },
  writer: WritableStreamDefaultWriter<Uint8Array>,
): Promise<void> {
  const { isolate: name, limits } = head;
  const isolate = { name, script: async () => textOf(head), outbound };
  // Whoever does not read it any more is gone.
  const write = (bytes: Uint8Array) => void writer.write(bytes).catch(() => undefined);
  const outcome = await runIsolate(env.LOADER, isolate, { request, limits, tell: (log) => write(encodeLog(log)) });
  write(beforeOutcome);
  write(encodeOutcome(outcome));
  await writer.close().catch(() => undefined);
}

export default {
  async fetch(request, env, context) {
    const head = headOf(request.headers.get(headHeader) ?? '');
    if (request.method === 'PUT') return keepScript(request, head.script);
    allowRequests(head.limits.requests);
    const headers = { 'content-type': request.headers.get('content-type') ?? '' };
    // To its end before the script runs, which need not read it: else whoever sends it is left in the middle of it.
    const body = await request.arrayBuffer();
    const asked = new Request('http://integration/v1', { method: 'POST', headers, body });
    const { Outbound: outboundFor } = context.exports as unknown as { Outbound: OutboundFor };
    const outbound = outboundFor({ props: { tenant: head.tenant } });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    context.waitUntil(run({ head, request: asked, env, outbound }, writable.getWriter()));
    return new Response(readable);
  },
} satisfies ExportedHandler<ProcessEnvironment>;
