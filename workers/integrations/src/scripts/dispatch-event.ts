import type { ScriptEvent, SiteId, SpaceId, UserId } from '@octavo/schema';
import type { ScriptOutcome } from '@octavo/script-isolate';
import { callScript } from './call-script.ts';
import { failureOf } from './record-run.ts';
import type { ScriptContext } from './script-environment.ts';
import { readTarget } from './script-target.ts';

/** Shorter than what somebody waits for: other events wait meanwhile. */
const limits = { milliseconds: 10_000 };

const statusOfFault: Record<Extract<ScriptOutcome, { ok: false }>['fault'], number> = {
  timeout: 504,
  memory: 500,
  exception: 500,
  // As large as it is at each try.
  too_large: 413,
  busy: 503,
  unavailable: 503,
};

export interface Dispatched {
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
  const outcome = await callScript(context, target, { event, limits, depth: depth + 1 });
  const error = failureOf(outcome);
  const status = outcome.ok ? outcome.status : statusOfFault[outcome.fault];
  return { status, ...(error === undefined ? {} : { error }) };
}
