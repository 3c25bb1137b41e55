import type { ScriptEvent, SiteId, SpaceId, UserId } from '@octavo/schema';
import type { ScriptOutcome } from '@octavo/script-isolate';
import { getFailure, recordRun } from './record-run.ts';
import { postToDeveloper, runScript } from './run-script.ts';
import type { ScriptContext } from './script-environment.ts';
import { createScriptEnvironment } from './script-environment.ts';
import type { ScriptCall, ScriptTarget } from './script-target.ts';
import { isOfOwner, readTarget } from './script-target.ts';

async function getText({ env }: ScriptContext, key: string): Promise<string> {
  const object = await env.RENDERED.get(key);
  if (object === null) throw new Error('The script of the integration no longer exists.');
  return object.text();
}

/** The result of a call; `failure` is the logged reason, without secrets. */
interface CallResult {
  outcome: ScriptOutcome;
  failure: string | undefined;
}

/** Calls a script, on the platform or at its developer's address, and logs the run. */
export const callScript = async (
  context: ScriptContext,
  target: ScriptTarget,
  call: ScriptCall,
): Promise<ScriptOutcome> => (await callWithReason(context, target, call)).outcome;

/** Like `callScript`, but also returns the logged reason of a failure. */
export async function callWithReason(
  context: ScriptContext,
  target: ScriptTarget,
  call: ScriptCall,
): Promise<CallResult> {
  const { visibleIntegration, hidden, installed } = target;
  const { event, fetchBody, limits, depth } = call;
  const created = await createScriptEnvironment(context, target, depth);
  const developer = getDeveloper(target, event);
  const form = { event, fetchBody, environment: created.environment };
  const outcome =
    developer === undefined
      ? await runScript(context.env, {
          ...form,
          integration: visibleIntegration.integration.name,
          owner: visibleIntegration.integration.organization,
          organization: installed?.installation.organization,
          installation: installed?.installation.id,
          scriptKey: hidden.script,
          script: () => getText(context, hidden.script),
          limits: limits ?? {},
        })
      : await postToDeveloper(context.env, developer, { ...form, limits });
  return { outcome, failure: await recordRun(context.db, target, { call, outcome, hidden: created.hidden }) };
}

/**
 * Returns the developer's address during the development mode. Only the developer's client extends it, because the
 * address may belong to someone else after it ends. Events of other organizations are never sent there.
 */
function getDeveloper(target: ScriptTarget, event: ScriptEvent): string | undefined {
  const { devUrl, devUntil } = target.hidden;
  const isValid = devUrl !== null && devUntil !== null && devUntil > Date.now();
  return isValid && isOfOwner(target, event) ? devUrl : undefined;
}

/** Limits of event calls. They are lower than those of interactive calls, because other events wait during the call. */
const eventLimits = { milliseconds: 10_000 };

const statusOfFault: Record<Extract<ScriptOutcome, { ok: false }>['fault'], number> = {
  timeout: 504,
  memory: 500,
  exception: 500,
  // The event is not sent again after this status, because it would fail again.
  too_large: 413,
  busy: 503,
  unavailable: 503,
};

interface Dispatched {
  installation: string;
  integration: string;
  /** The account of the integration. */
  account: UserId | null;
  event: ScriptEvent;
  /** Number of script runs that led to the event. */
  depth: number;
}

const getId = (event: ScriptEvent, name: string): string | undefined => {
  const { [name]: id } = event;
  return typeof id === 'string' ? id : undefined;
};

/**
 * Sends an event to the script of an installation's integration. Returns the status of the script's response, or an
 * equivalent status for a failed run. 406 means that the script does not handle such events, 404 that there is no
 * script.
 */
export async function dispatchEvent(
  context: ScriptContext,
  { installation, integration, account, event, depth }: Dispatched,
): Promise<{ status: number; error?: string }> {
  const targetIds = {
    ...{ installation, integration, recipient: account },
    space: getId(event, 'spaceId') as SpaceId,
    site: getId(event, 'siteId') as SiteId,
  };
  const target = await readTarget(context.db, targetIds);
  if (target === undefined) return { status: 404, error: 'The integration is no longer installed.' };
  const outcome = await callScript(context, target, { event, limits: eventLimits, depth: depth + 1 });
  const error = getFailure(outcome);
  const status = outcome.ok ? outcome.status : statusOfFault[outcome.fault];
  return { status, ...(error === undefined ? {} : { error }) };
}
