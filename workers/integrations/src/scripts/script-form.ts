import type { ScriptRun } from './script-run.ts';

/** What a script is sent: a form with the event, what it runs with, and the body of the request that it is to answer. */
export function scriptForm({ event, environment, fetchBody }: Pick<ScriptRun, 'event' | 'environment' | 'fetchBody'>) {
  const form = new FormData();
  form.set('event', JSON.stringify(event));
  form.set('environment', JSON.stringify(environment));
  // As a file: lines of a text would get other ends on the way, and nobody could verify what was signed.
  if (fetchBody) form.set('fetch-body', new Blob([fetchBody]), 'body');
  return new Response(form);
}
