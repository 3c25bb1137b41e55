import type { ScriptEvent, SiteId, SpaceId, UserId } from '@octavo/schema';
import type { ScriptOutcome } from '@octavo/script-isolate';
import { failureOf, recordRun } from './record-run.ts';
import { postToDeveloper, runScript } from './run-script.ts';
import type { ScriptContext } from './script-environment.ts';
import { scriptEnvironment } from './script-environment.ts';
import type { ScriptCall, ScriptTarget } from './script-target.ts';
import { isOfOwner, readTarget } from './script-target.ts';

async function textOf({ env }: ScriptContext, key: string): Promise<string> {
  const object = await env.RENDERED.get(key);
  if (object === null) throw new Error('The script of the integration is gone.');
  return object.text();
}

/** What came of a call: `failure` is why it failed as the log has it, without what nobody may see. */
interface Called {
  outcome: ScriptOutcome;
  failure: string | undefined;
}

/** Calls a script, here or where its developer has it, and keeps in the log what came of it. */
export const callScript = async (
  context: ScriptContext,
  target: ScriptTarget,
  call: ScriptCall,
): Promise<ScriptOutcome> => (await callAndTell(context, target, call)).outcome;

/** `callScript`, where somebody else is told why it failed. */
export async function callAndTell(context: ScriptContext, target: ScriptTarget, call: ScriptCall): Promise<Called> {
  const { shown, hidden, installed } = target;
  const { event, fetchBody, limits, depth } = call;
  const made = await scriptEnvironment(context, target, depth);
  const developer = developerOf(target, event);
  const form = { event, fetchBody, environment: made.environment };
  const outcome =
    developer === undefined
      ? await runScript(context.env, {
          ...form,
          integration: shown.integration.name,
          owner: shown.integration.organization,
          organization: installed?.installation.organization,
          installation: installed?.installation.id,
          scriptKey: hidden.script,
          script: () => textOf(context, hidden.script),
          limits: limits ?? {},
        })
      : await postToDeveloper(context.env, developer, { ...form, limits });
  return { outcome, failure: await recordRun(context.db, target, { call, outcome, hidden: made.hidden }) };
}

/**
 * In development, where a script runs instead, until that lapses. Who develops it keeps it up, and no answer does: whoever has
 * the address by then would. What is of others leaves the platform for no developer's machine.
 */
function developerOf(target: ScriptTarget, event: ScriptEvent): string | undefined {
  const { devUrl, devUntil } = target.hidden;
  const isKept = devUrl !== null && devUntil !== null && devUntil > Date.now();
  return isKept && isOfOwner(target, event) ? devUrl : undefined;
}

/** Shorter than what somebody waits for: other events wait meanwhile. */
const eventLimits = { milliseconds: 10_000 };

const statusOfFault: Record<Extract<ScriptOutcome, { ok: false }>['fault'], number> = {
  timeout: 504,
  memory: 500,
  exception: 500,
  // As large as it is at each try.
  too_large: 413,
  busy: 503,
  unavailable: 503,
};

interface Dispatched {
  installation: string;
  integration: string;
  /** Of the integration. */
  account: UserId | null;
  event: ScriptEvent;
  /** How many runs of scripts led to the event. */
  depth: number;
}

const idIn = (event: ScriptEvent, name: string): string | undefined => {
  const { [name]: id } = event;
  return typeof id === 'string' ? id : undefined;
};

/**
 * Hands an event to the script of an installation's integration. The status is that of its answer, where 406 says that it
 * handles no such events; one of ours where it gave none. 404: there is no script to hand it to.
 */
export async function dispatchEvent(
  context: ScriptContext,
  { installation, integration, account, event, depth }: Dispatched,
): Promise<{ status: number; error?: string }> {
  const place = {
    ...{ installation, integration, toldTo: account },
    space: idIn(event, 'spaceId') as SpaceId,
    site: idIn(event, 'siteId') as SiteId,
  };
  const target = await readTarget(context.db, place);
  if (target === undefined) return { status: 404, error: 'The integration is not installed there any more.' };
  const outcome = await callScript(context, target, { event, limits: eventLimits, depth: depth + 1 });
  const error = failureOf(outcome);
  const status = outcome.ok ? outcome.status : statusOfFault[outcome.fault];
  return { status, ...(error === undefined ? {} : { error }) };
}
