import { describe, log } from '@octavo/runtime';
import type { ScriptHead, ScriptOutcome } from '@octavo/script-isolate';
import { scriptLimits } from '@octavo/script-isolate';
import { runByHost } from './run-by-host.ts';
import { runByLoader } from './run-by-loader.ts';
import { scriptForm } from './script-form.ts';
import type { RunForm, ScriptEnvironment, ScriptRun } from './script-run.ts';

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
