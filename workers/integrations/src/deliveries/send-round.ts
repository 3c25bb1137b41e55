import { failuresUntilHeld } from './back-off.ts';
import type { Attempt, Verdict } from './outcome.ts';
import { GONE, verdictOf } from './outcome.ts';
import type { Due } from './read-round.ts';

/** A runtime keeps six connections open that wait for an answer, as a rule: one is left for others. */
const maxAtOnce = 5;
/** From then on nothing more is begun in a round, so that what was changed meanwhile counts soon. */
const roundMilliseconds = 2000;

/** What was sent, and what came of it. */
export interface Sent {
  due: Due;
  attempt: Attempt;
  verdict: Verdict;
}

/** What came of a round. */
export interface Round {
  sent: Sent[];
  /** Attempts that failed one after the other, with those of the rounds before. */
  failures: number;
  /** That the receiver answered that it is gone for good. */
  isGone: boolean;
}

/**
 * Sends what is due, several lanes at once, each in its order: one that fails holds back what comes after it in its lane
 * alone. Where one attempt after the other fails, no more is begun.
 */
export async function sendRound(
  lanes: Due[][],
  failuresBefore: number,
  send: (due: Due) => Promise<Attempt>,
): Promise<Round> {
  const until = Date.now() + roundMilliseconds;
  const round: Round = { sent: [], failures: failuresBefore, isGone: false };
  const mayGoOn = () =>
    Date.now() < until && !round.isGone && (round.failures < failuresUntilHeld || round.sent.length === 0);
  const waiting = lanes.values();

  async function sendLane(lane: Due[]): Promise<void> {
    for (const due of lane) {
      if (!mayGoOn()) return;
      const attempt = await send(due);
      const verdict = verdictOf(attempt);
      round.sent.push({ due, attempt, verdict });
      round.isGone ||= attempt.status === GONE;
      round.failures = verdict === 'failed' ? round.failures + 1 : 0;
      if (verdict === 'failed') return;
    }
  }

  const work = async () => {
    for (const lane of waiting) await sendLane(lane);
  };
  await Promise.all(Array.from({ length: maxAtOnce }, work));
  return round;
}
