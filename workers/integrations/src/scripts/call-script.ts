import type { ScriptOutcome } from '@octavo/script-isolate';
import { developerOf } from './developer.ts';
import { postToDeveloper } from './post-to-developer.ts';
import { recordRun } from './record-run.ts';
import { runScript } from './run-script.ts';
import type { ScriptContext } from './script-environment.ts';
import { scriptEnvironment } from './script-environment.ts';
import type { ScriptCall, ScriptTarget } from './script-target.ts';

async function textOf({ env }: ScriptContext, key: string): Promise<string> {
  const object = await env.RENDERED.get(key);
  if (object === null) throw new Error('The script of the integration is gone.');
  return object.text();
}

/** What came of a call: `failure` is why it failed as the log has it, without what nobody may see. */
export interface Called {
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
