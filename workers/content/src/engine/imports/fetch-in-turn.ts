import type { Fetched, OutsideLimits } from '@octavo/runtime';
import { fetchOutside, OutsideError } from '@octavo/runtime';
import type { ContentEnvironment } from '../../environment.ts';
import { importLimits } from './import-limits.ts';

/** When the turns end that are taken with each host: also one whose request died ends in time. */
const turns = new Map<string, { ends: number }[]>();
const lookAgainMilliseconds = 25;

/** All turns with a host were taken for long: nothing was asked of it. */
export class NoTurn extends OutsideError {
  constructor() {
    super('timeout', 'is read by too many imports at once: try again later');
  }
}

/**
 * Fetches as `fetchOutside` does, once there are few enough fetches from the host under way, by any import.
 * @throws OutsideError, NoTurn
 */
export async function fetchInTurn(env: ContentEnvironment, url: string, limits: OutsideLimits): Promise<Fetched> {
  const host = URL.canParse(url) ? new URL(url).host : '';
  const turn = await takeTurn(host, limits.milliseconds);
  try {
    return await fetchOutside(env, url, limits);
  } finally {
    turn.ends = 0;
    dropEnded(host);
  }
}

// Looked for again and again: a promise that another request were to settle would hang if that request died.
async function takeTurn(host: string, milliseconds: number): Promise<{ ends: number }> {
  const until = Date.now() + importLimits.turnMilliseconds;
  for (;;) {
    const taken = dropEnded(host);
    if (taken.length < importLimits.fetchedOfHost) {
      const turn = { ends: Date.now() + milliseconds };
      turns.set(host, [...taken, turn]);
      return turn;
    }
    if (Date.now() > until) throw new NoTurn();
    await new Promise((resolve) => setTimeout(resolve, lookAgainMilliseconds));
  }
}

function dropEnded(host: string): { ends: number }[] {
  const taken = (turns.get(host) ?? []).filter(({ ends }) => ends > Date.now());
  if (taken.length === 0) turns.delete(host);
  else turns.set(host, taken);
  return taken;
}
