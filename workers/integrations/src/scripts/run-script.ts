import { exports, WorkerEntrypoint } from 'cloudflare:workers';
import { describeError, findAddressFault, log } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import type { ScriptHead, ScriptLimits, ScriptOutcome } from '@octavo/script-isolate';
import {
  decodeOutcome,
  encodeHead,
  headHeader,
  hostLimits,
  readLimited,
  runIsolate,
  scriptLimits,
  sendOutbound,
  textHeader,
} from '@octavo/script-isolate';
import type { IntegrationsEnvironment } from '../environment.ts';
import type { ScriptCall } from './script-target.ts';

/** Events that anonymous requests can cause. */
const publicEvents = /^fetch/;

/** Installations and versions never share an isolate. The script host lets the calling organizations take turns. */
function createHead({
  integration,
  owner,
  organization,
  installation = '',
  scriptKey,
  event,
  limits,
}: ScriptRun): ScriptHead {
  return {
    tenant: owner,
    caller: organization ?? owner,
    isPublic: publicEvents.test(event.type),
    isolate: [integration, scriptKey, installation].join('@'),
    script: scriptKey,
    limits: { ...scriptLimits, ...limits },
  };
}

function getRunner({ SCRIPTS, LOADER, ...settings }: ScriptEnvironment): RunForm | undefined {
  if (SCRIPTS !== undefined) return runByHost(SCRIPTS);
  return LOADER === undefined ? undefined : runByLoader(LOADER, settings);
}

const createUnavailable = (message: string): ScriptOutcome => ({ ok: false, fault: 'unavailable', message, logs: [] });

/** Runs a script within its limits. Errors are part of the outcome. */
export async function runScript(env: ScriptEnvironment, run: ScriptRun): Promise<ScriptOutcome> {
  const runner = getRunner(env);
  if (runner === undefined) return createUnavailable('This server does not run scripts.');
  try {
    return await runner(createHead(run), createForm(run), run.script);
  } catch (error) {
    log('error', 'could not run the script', { integration: run.integration, cause: describeError(error) });
    return createUnavailable('Scripts are temporarily unavailable.');
  }
}

/** A script to run, with its input. */
interface ScriptRun {
  integration: string;
  /** The publisher of the integration. */
  owner: OrganizationId;
  /** The organization of the installation, if there is one. Organizations take turns. */
  organization: OrganizationId | undefined;
  installation?: string | undefined;
  /** The key of the stored script, different for each version. */
  scriptKey: string;
  script(): Promise<string>;
  event: { type: string };
  environment: object;
  /** The body of the request that the event describes. */
  fetchBody?: Uint8Array<ArrayBuffer> | null | undefined;
  limits?: Partial<ScriptLimits>;
}

/** Runs a script on the host or with a loader of isolates. */
type RunForm = (head: ScriptHead, form: Response, script: () => Promise<string>) => Promise<ScriptOutcome>;

type ScriptEnvironment = Pick<
  IntegrationsEnvironment,
  'SCRIPTS' | 'LOADER' | 'OCTAVO_PUBLIC_URL' | 'OCTAVO_IMPORT_ALLOW_PRIVATE'
>;

/** Returns the request form of a script: the event, its environment and the body of a request to respond to. */
function createForm({ event, environment, fetchBody }: Pick<ScriptRun, 'event' | 'environment' | 'fetchBody'>) {
  const form = new FormData();
  form.set('event', JSON.stringify(event));
  form.set('environment', JSON.stringify(environment));
  // The body is sent as a file, because a text field would change its line ends, and signatures of the body would then
  // be invalid.
  if (fetchBody) form.set('fetch-body', new Blob([fetchBody]), 'body');
  return new Response(form);
}

const address = 'http://scripts/';
const unknown = 404;

/** Runs scripts on the script host. Sends the script source only if the host does not have it. */
function runByHost(host: Fetcher): RunForm {
  return async (head, form, script) => {
    const headers = { [headHeader]: encodeHead(head), 'content-type': form.headers.get('content-type') ?? '' };
    const body = await form.arrayBuffer();
    let response = await host.fetch(address, { method: 'POST', headers, body });
    if (response.status === unknown) {
      await response.body?.cancel();
      const text = new TextEncoder().encode(await script());
      const withText = { ...headers, [textHeader]: String(text.length) };
      response = await host.fetch(address, { method: 'POST', headers: withText, body: new Blob([text, body]) });
    }
    if (response.status !== 200) throw new TypeError(`The script host returned ${response.status}.`);
    return decodeOutcome(new Uint8Array(await response.arrayBuffer()));
  };
}

type OutboundFor = (options: { props: ScriptOutboundSettings }) => Fetcher;

/** Runs scripts in isolates of a loader, which enforces the limits of CPU time and requests. */
function runByLoader(
  loader: WorkerLoader,
  { OCTAVO_PUBLIC_URL: publicUrl, OCTAVO_IMPORT_ALLOW_PRIVATE }: ScriptEnvironment,
): RunForm {
  const allowsPrivate = OCTAVO_IMPORT_ALLOW_PRIVATE === '1';
  const outboundFor = (exports as unknown as { ScriptOutbound: OutboundFor }).ScriptOutbound;
  return async ({ isolate, limits, tenant }, form, script) => {
    const headers = { 'content-type': form.headers.get('content-type') ?? '' };
    const body = await form.arrayBuffer();
    const message = `The input of the script is larger than ${hostLimits.formBytes / 1e6} MB.`;
    if (body.byteLength > hostLimits.formBytes) return { ok: false, fault: 'too_large', message, logs: [] };
    const request = new Request('http://integration/v1', { method: 'POST', headers, body });
    const outbound = outboundFor({ props: { publicUrl, allowsPrivate, tenant } });
    // An existing isolate keeps the outbound settings that it was created with.
    const name = [isolate, tenant, publicUrl, allowsPrivate].join('@');
    return runIsolate(loader, { name, script, outbound }, { request, limits });
  };
}

interface ScriptOutboundSettings {
  publicUrl: string;
  allowsPrivate: boolean;
  tenant: string;
}

/** Cloudflare derives `cf-connecting-ip` from this header when a worker calls another one of the same zone. */
const addressHeader = 'x-real-ip';

/** At Cloudflare: the script's only access to the network. */
export class ScriptOutbound extends WorkerEntrypoint<unknown, ScriptOutboundSettings> {
  override fetch(request: Request): Promise<Response> {
    return sendOutbound(request, { ...this.ctx.props, addressHeader, platform: (sent) => fetch(sent) });
  }
}

/** If the developer's address has no path, its script is called at the path at which the platform calls scripts. */
function getCallPath(address: string): string {
  const url = new URL(address);
  if (url.pathname === '/') url.pathname = '/v1';
  return url.href;
}

/** Runs the script at the developer's address. Its console messages are not sent to the platform. */
export async function postToDeveloper(
  env: ScriptEnvironment,
  address: string,
  { limits, ...form }: Pick<ScriptRun, 'event' | 'environment' | 'fetchBody'> & Pick<ScriptCall, 'limits'>,
): Promise<ScriptOutcome> {
  const { milliseconds, answerBytes } = { ...scriptLimits, ...limits };
  const fault = env.OCTAVO_IMPORT_ALLOW_PRIVATE === '1' ? undefined : findAddressFault(address);
  if (fault !== undefined)
    return { ok: false, fault: 'unavailable', message: `The URL of the developer ${fault}.`, logs: [] };
  const sent = createForm(form);
  const signal = AbortSignal.timeout(milliseconds);
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' };
  try {
    const response = await fetch(getCallPath(address), {
      method: 'POST',
      headers,
      body: await sent.arrayBuffer(),
      redirect: 'manual',
      signal,
    });
    const body = await readLimited(response, answerBytes);
    if (body !== undefined)
      return { ok: true, status: response.status, headers: [...response.headers], body, logs: [] };
    return {
      ok: false,
      fault: 'too_large',
      message: `The developer's response has more than ${answerBytes} bytes.`,
      logs: [],
    };
  } catch {
    return signal.aborted
      ? { ok: false, fault: 'timeout', message: "The developer's machine did not respond in time.", logs: [] }
      : { ok: false, fault: 'exception', message: "The developer's machine could not be reached.", logs: [] };
  }
}
