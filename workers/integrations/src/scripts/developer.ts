import type { ScriptEvent } from '@octavo/schema';
import type { ScriptTarget } from './script-target.ts';
import { isOfOwner } from './script-target.ts';

/**
 * In development, where a script runs instead, until that lapses. Who develops it keeps it up, and no answer does: whoever has
 * the address by then would. What is of others leaves the platform for no developer's machine.
 */
export function developerOf(target: ScriptTarget, event: ScriptEvent): string | undefined {
  const { devUrl, devUntil } = target.hidden;
  const isKept = devUrl !== null && devUntil !== null && devUntil > Date.now();
  return isKept && isOfOwner(target, event) ? devUrl : undefined;
}
