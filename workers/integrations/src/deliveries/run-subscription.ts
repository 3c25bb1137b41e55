import type { SubscriptionStatus } from '@octavo/db';
import { connect } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { log } from '@octavo/runtime';
import type { IntegrationsEnvironment } from '../environment.ts';
import type { Leased } from './lease.ts';
import { releaseLease, takeLease } from './lease.ts';
import { pauseFailing, pauseGone } from './pause-webhook.ts';
import { readRound } from './read-round.ts';
import { recordRound } from './record-round.ts';
import { sendRound } from './send-round.ts';
import { senderFor } from './sender-for.ts';
import { wakeLater } from './wake.ts';

/** No round is begun after that, and another run goes on: with its last round, a run takes less than twenty seconds. */
const runMilliseconds = 5000;

const sentTo: SubscriptionStatus[] = ['active', 'leaving', 'draining'];

const mayBeSent = ({ status, heldUntil }: Leased): boolean =>
  sentTo.includes(status) && (heldUntil === null || heldUntil <= Date.now());

/**
 * Sends a subscription what is due, in rounds, unless another does. What is sent but not yet written down when the
 * runtime ends is sent once more, under the same id.
 */
export async function runSubscription(env: IntegrationsEnvironment, background: Background, id: string): Promise<void> {
  const { db, cost } = connect(env.DB, { intent: 'write' });
  const taken = await takeLease(db, id);
  if (taken === undefined) return;
  const until = Date.now() + runMilliseconds;
  let [leased, sent]: [Leased, number] = [taken, 0];
  while (Date.now() < until && mayBeSent(leased)) {
    const lanes = await readRound(db, leased);
    if (lanes.length === 0) break;
    const round = await sendRound(lanes, leased.failures, await senderFor(env, db, leased));
    const recorded = await recordRound(db, leased, round);
    if (recorded === undefined) return;
    sent += round.sent.length;
    if (round.isGone) await pauseGone({ env, db, background }, leased);
    leased = recorded;
    if (round.isGone) break;
  }
  await pauseFailing({ env, db, background }, leased);
  const next = await releaseLease(db, leased);
  log('info', 'events sent', { subscription: id, sent, failures: leased.failures, ...cost });
  if (next !== undefined) wakeLater(env, background, { subscription: id, organization: leased.organization }, next);
}
