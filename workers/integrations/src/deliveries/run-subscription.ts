import type { Database, SubscriptionStatus } from '@octavo/db';
import { connect } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { createUrls, describeError, log } from '@octavo/runtime';
import type { InstallationPayload } from '@octavo/schema';
import { createInstallationPayload, createPayload } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { dispatchEvent } from '../scripts/call-script.ts';
import { NOT_HANDLED } from '../scripts/record-run.ts';
import type { Attempt } from './post-event.ts';
import { createUnsentAttempt, getReceiver, postEvent } from './post-event.ts';
import type { DueDelivery } from './rounds.ts';
import { readRound, recordRound, sendRound } from './rounds.ts';
import { wakeLater } from './schedule.ts';
import type { LeasedSubscription, Subscriber } from './subscriptions.ts';
import { pauseFailing, pauseGone, releaseLease, takeLease } from './subscriptions.ts';

/** No round is started after this time; another run continues. With its last round a run takes less than 20 seconds. */
const runMilliseconds = 5000;

const sentTo: SubscriptionStatus[] = ['active', 'leaving', 'draining'];

const mayBeSent = ({ status, heldUntil }: LeasedSubscription): boolean =>
  sentTo.includes(status) && (heldUntil === null || heldUntil <= Date.now());

/**
 * Sends the due deliveries of a subscription in rounds, unless another run does. Deliveries that are not recorded when
 * the runtime stops are sent again with the same id.
 */
export async function runSubscription(env: IntegrationsEnvironment, background: Background, id: string): Promise<void> {
  const { db, cost } = connect(env.DB, { intent: 'write' });
  const taken = await takeLease(db, id);
  if (taken === undefined) return;
  const until = Date.now() + runMilliseconds;
  let [leased, sent]: [LeasedSubscription, number] = [taken, 0];
  while (Date.now() < until && mayBeSent(leased)) {
    const lanes = await readRound(db, leased);
    if (lanes.length === 0) break;
    const round = await sendRound(lanes, leased.failures, await createSender(env, db, leased));
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

type Send = (due: DueDelivery) => Promise<Attempt>;

/** Returns the function that sends events to a subscription with its current settings. */
async function createSender(env: IntegrationsEnvironment, db: Database, to: Subscriber): Promise<Send> {
  if (to.kind === 'installation_script') return toScript(env, db, to);
  const receiver = await getReceiver(env, to);
  if (receiver.url === '') return async () => createUnsentAttempt('the integration has no URL for events');
  return (due) => {
    const payload = to.kind === 'webhook' ? createPayload(due.event) : payloadFor(env, to, due);
    return postEvent(env, receiver, { delivery: getDeliveryId(due), type: payload.type, payload });
  };
}

/** A redelivery has another id, so that receivers which ignore known ids accept it. */
const getDeliveryId = ({ id, redeliveries }: DueDelivery): string =>
  redeliveries === 0 ? id : `${id}-${redeliveries}`;

function toScript(env: IntegrationsEnvironment, db: Database, to: Subscriber): Send {
  return (due) => callScriptForEvent(env, db, to, { event: payloadFor(env, to, due), depth: due.depth });
}

function payloadFor(env: IntegrationsEnvironment, { installation }: Subscriber, { event, actorName }: DueDelivery) {
  const { actor: id } = event;
  const urls = { location: createUrls(env).location(`/users/${id}`) };
  return createInstallationPayload(event, installation ?? '', {
    object: 'user',
    id,
    displayName: actorName ?? '',
    urls,
  });
}

/** Sends an event to the script of an installation's integration, even if the installation was deleted. */
async function callScriptForEvent(
  env: IntegrationsEnvironment,
  db: Database,
  { id, installation, integration, integrationAccount: account }: Subscriber,
  { event, depth }: Pick<DueDelivery, 'depth'> & { event: InstallationPayload },
): Promise<Attempt> {
  const at = Date.now();
  const to = { installation: installation ?? '', integration: integration ?? '', account };
  const attempt = (more: Pick<Attempt, 'status' | 'error' | 'settled'>): Attempt => ({
    ...{ at, milliseconds: Date.now() - at, answer: null, retryAfter: 0 },
    ...more,
  });
  try {
    const { status, error = null } = await dispatchEvent({ env, db, urls: createUrls(env) }, { ...to, event, depth });
    return attempt({ status, error, ...(status === NOT_HANDLED && { settled: 'delivered' }) });
  } catch (error) {
    log('error', 'could not call the script', { subscription: id, cause: describeError(error) });
    return attempt({ status: null, error: 'the script could not be called' });
  }
}
