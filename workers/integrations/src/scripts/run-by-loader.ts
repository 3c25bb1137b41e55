import { exports } from 'cloudflare:workers';
import { hostLimits, runIsolate } from '@octavo/script-isolate';
import type { ScriptOutboundSettings } from './script-outbound.ts';
import type { RunForm, ScriptEnvironment } from './script-run.ts';

type OutboundFor = (options: { props: ScriptOutboundSettings }) => Fetcher;

/** Runs scripts in isolates of a loader, which keeps their limits of processor time, memory and requests. */
export function runByLoader(
  loader: WorkerLoader,
  { OCTAVO_PUBLIC_URL: publicUrl, OCTAVO_IMPORT_ALLOW_PRIVATE }: ScriptEnvironment,
): RunForm {
  const allowsPrivate = OCTAVO_IMPORT_ALLOW_PRIVATE === '1';
  const outboundFor = (exports as unknown as { ScriptOutbound: OutboundFor }).ScriptOutbound;
  return async ({ isolate, limits, tenant }, form, script) => {
    const headers = { 'content-type': form.headers.get('content-type') ?? '' };
    const body = await form.arrayBuffer();
    const message = 'What the script is to be sent is too large.';
    if (body.byteLength > hostLimits.formBytes) return { ok: false, fault: 'too_large', message, logs: [] };
    const request = new Request('http://integration/v1', { method: 'POST', headers, body });
    const outbound = outboundFor({ props: { publicUrl, allowsPrivate, tenant } });
    // An isolate that is there already keeps the network that it was made with.
    const name = [isolate, tenant, publicUrl, allowsPrivate].join('@');
    return runIsolate(loader, { name, script, outbound }, { request, limits });
  };
}
