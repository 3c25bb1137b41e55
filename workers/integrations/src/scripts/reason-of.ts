import type { ScriptOutcome } from '@octavo/script-isolate';
import { without } from './kept-event.ts';

/** So much of a script's own words stands beside what is said of it. */
export const maxReasonCharacters = 200;
/** What is longer is no sentence: of what is cut before secrets are taken out of it, a part of one could be left. */
const maxBytes = 65_536;

/** Secrets are looked for in texts as they are, and not as JSON has them. */
function withoutSecrets(text: string, hidden: string[]): string {
  try {
    const value = JSON.parse(text, (_, part: unknown) => (typeof part === 'string' ? without(part, hidden) : part));
    return typeof value?.error === 'string' ? value.error : without(JSON.stringify(value), hidden);
  } catch {
    return without(text, hidden);
  }
}

/** Why a script refused, by the beginning of its answer: the sentence of a refusal, as the library answers with it. */
export function reasonOf(outcome: ScriptOutcome, hidden: string[]): string | undefined {
  if (!outcome.ok || outcome.body.length > maxBytes) return undefined;
  const text = withoutSecrets(new TextDecoder().decode(outcome.body), hidden);
  const line = text.replace(/\p{Cc}+/gu, ' ').trim();
  return line === '' ? undefined : line.slice(0, maxReasonCharacters);
}
