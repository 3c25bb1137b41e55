import { exports, WorkerEntrypoint } from 'cloudflare:workers';
import { describe, faultOfAddress, log } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import type { ScriptHead, ScriptLimits, ScriptOutcome } from '@octavo/script-isolate';
import {
  decodeOutcome,
  headHeader,
  headText,
  hostLimits,
  runIsolate,
  scriptLimits,
  sendOutbound,
  textHeader,
} from '@octavo/script-isolate';
import type { IntegrationsEnvironment } from '../environment.ts';
import type { ScriptCall } from './script-target.ts';

/** What anybody brings about who knows an address. */
const publicEvents = /^fetch/;

/** No two installations share an isolate, and no two versions; each has turns of its own. */
function headFor({
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

function runnerOf({ SCRIPTS, LOADER, ...settings }: ScriptEnvironment): RunForm | undefined {
  if (SCRIPTS !== undefined) return runByHost(SCRIPTS);
  return LOADER === undefined ? undefined : runByLoader(LOADER, settings);
}

const unavailable = (message: string): ScriptOutcome => ({ ok: false, fault: 'unavailable', message, logs: [] });

/** Runs a script within its limits. Whatever goes wrong is told by the outcome: the platform goes on. */
export async function runScript(env: ScriptEnvironment, run: ScriptRun): Promise<ScriptOutcome> {
  const runner = runnerOf(env);
  if (runner === undefined) return unavailable('Scripts are not run here.');
  try {
    return await runner(headFor(run), scriptForm(run), run.script);
  } catch (error) {
    log('error', 'script not run', { integration: run.integration, cause: describe(error) });
    return unavailable('Scripts cannot be run at the moment.');
  }
}

/** What of an integration's script is to run, and with what. */
interface ScriptRun {
  integration: string;
  /** Who publishes the integration. */
  owner: OrganizationId;
  /** Who has it installed, where it runs for an installation: these take turns. */
  organization: OrganizationId | undefined;
  /** For which installation, where it is for one. */
  installation?: string | undefined;
  /** The name of the script's object, which is another one for each version. */
  scriptKey: string;
  script(): Promise<string>;
  event: { type: string };
  environment: object;
  /** The body of the request that the event tells of. */
  fetchBody?: Uint8Array<ArrayBuffer> | null | undefined;
  limits?: Partial<ScriptLimits>;
}

/** What runs a script: a host beside the platform, or a loader of isolates. */
type RunForm = (head: ScriptHead, form: Response, script: () => Promise<string>) => Promise<ScriptOutcome>;

type ScriptEnvironment = Pick<
  IntegrationsEnvironment,
  'SCRIPTS' | 'LOADER' | 'OCTAVO_PUBLIC_URL' | 'OCTAVO_IMPORT_ALLOW_PRIVATE'
>;

/** What a script is sent: a form with the event, what it runs with, and the body of the request that it is to answer. */
function scriptForm({ event, environment, fetchBody }: Pick<ScriptRun, 'event' | 'environment' | 'fetchBody'>) {
  const form = new FormData();
  form.set('event', JSON.stringify(event));
  form.set('environment', JSON.stringify(environment));
  // As a file: lines of a text would get other ends on the way, and nobody could verify what was signed.
  if (fetchBody) form.set('fetch-body', new Blob([fetchBody]), 'body');
  return new Response(form);
}

const address = 'http://scripts/';
const unknown = 404;

/** Has scripts run by the host beside the platform, which gets the text along with the form when it does not know it. */
function runByHost(host: Fetcher): RunForm {
  return async (head, form, script) => {
    const headers = { [headHeader]: headText(head), 'content-type': form.headers.get('content-type') ?? '' };
    const body = await form.arrayBuffer();
    let answer = await host.fetch(address, { method: 'POST', headers, body });
    if (answer.status === unknown) {
      await answer.body?.cancel();
      const text = new TextEncoder().encode(await script());
      const withText = { ...headers, [textHeader]: String(text.length) };
      answer = await host.fetch(address, { method: 'POST', headers: withText, body: new Blob([text, body]) });
    }
    if (answer.status !== 200) throw new TypeError(`The script host answered ${answer.status}.`);
    return decodeOutcome(new Uint8Array(await answer.arrayBuffer()));
  };
}

type OutboundFor = (options: { props: ScriptOutboundSettings }) => Fetcher;

/** Runs scripts in isolates of a loader, which keeps their limits of processor time, memory and requests. */
function runByLoader(
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

interface ScriptOutboundSettings {
  publicUrl: string;
  allowsPrivate: boolean;
  tenant: string;
}

/** What Cloudflare makes `cf-connecting-ip` of for the worker that is called, where a worker of the same zone calls it. */
const addressHeader = 'x-real-ip';

/** At Cloudflare: all that a script reaches of the network. */
export class ScriptOutbound extends WorkerEntrypoint<unknown, ScriptOutboundSettings> {
  override fetch(request: Request): Promise<Response> {
    return sendOutbound(request, { ...this.ctx.props, addressHeader, platform: (sent) => fetch(sent) });
  }
}

/** Answers of a body that is longer are cut off. */
async function readWithin(response: Response, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body !== null)
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      size += chunk.length;
      if (size > limit) return undefined;
      chunks.push(chunk);
    }
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

/** A bare origin stands for the path that scripts are called at. */
function calledAt(address: string): string {
  const url = new URL(address);
  if (url.pathname === '/') url.pathname = '/v1';
  return url.href;
}

/** Sends a developer what the script would be sent. The console stays where it is written. */
export async function postToDeveloper(
  env: ScriptEnvironment,
  address: string,
  { limits, ...form }: Pick<ScriptRun, 'event' | 'environment' | 'fetchBody'> & Pick<ScriptCall, 'limits'>,
): Promise<ScriptOutcome> {
  const { milliseconds, answerBytes } = { ...scriptLimits, ...limits };
  const fault = env.OCTAVO_IMPORT_ALLOW_PRIVATE === '1' ? undefined : faultOfAddress(address);
  if (fault !== undefined)
    return { ok: false, fault: 'unavailable', message: `The address of the developer ${fault}.`, logs: [] };
  const sent = scriptForm(form);
  const signal = AbortSignal.timeout(milliseconds);
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' };
  try {
    const answer = await fetch(calledAt(address), {
      method: 'POST',
      headers,
      body: await sent.arrayBuffer(),
      redirect: 'manual',
      signal,
    });
    const body = await readWithin(answer, answerBytes);
    if (body !== undefined) return { ok: true, status: answer.status, headers: [...answer.headers], body, logs: [] };
    return {
      ok: false,
      fault: 'too_large',
      message: `The developer answered with more than ${answerBytes} bytes.`,
      logs: [],
    };
  } catch {
    return signal.aborted
      ? { ok: false, fault: 'timeout', message: 'The developer did not answer in time.', logs: [] }
      : { ok: false, fault: 'exception', message: 'The developer cannot be reached.', logs: [] };
  }
}
