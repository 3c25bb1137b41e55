import { faultOfAddress } from '@octavo/runtime';
import type { ScriptOutcome } from '@octavo/script-isolate';
import { scriptLimits } from '@octavo/script-isolate';
import { scriptForm } from './script-form.ts';
import type { ScriptEnvironment, ScriptRun } from './script-run.ts';
import type { ScriptCall } from './script-target.ts';

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
