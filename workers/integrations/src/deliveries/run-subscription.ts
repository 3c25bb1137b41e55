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
import { pauseFailingWebhook, pauseUnreachable, releaseLease, takeLease } from './subscriptions.ts';

/**
 * No round starts after this time. If deliveries are still due, another run sends them. A run takes less than 20
 * seconds, including its last round.
 */
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
  const leasedSubscription = await takeLease(db, id);
  if (leasedSubscription === undefined) return;
  const deadline = Date.now() + runMilliseconds;
  let [leased, sent]: [LeasedSubscription, number] = [leasedSubscription, 0];
  while (Date.now() < deadline && mayBeSent(leased)) {
    const groups = await readRound(db, leased);
    if (groups.length === 0) break;
    const round = await sendRound(groups, leased.failures, await createSender(env, db, leased));
    const recorded = await recordRound(db, leased, round);
    if (recorded === undefined) return;
    sent += round.sent.length;
    if (round.isDeleted) await pauseUnreachable({ env, db, background }, leased);
    leased = recorded;
    if (round.isDeleted) break;
  }
  await pauseFailingWebhook({ env, db, background }, leased);
  const next = await releaseLease(db, leased);
  log('info', 'events sent', { subscription: id, sent, failures: leased.failures, ...cost });
  if (next !== undefined) wakeLater(env, background, { subscription: id, organization: leased.organization }, next);
}

type Send = (delivery: DueDelivery) => Promise<Attempt>;

/** Returns the function that sends events to a subscription with its current settings. */
async function createSender(env: IntegrationsEnvironment, db: Database, to: Subscriber): Promise<Send> {
  if (to.kind === 'installation_script') return toScript(env, db, to);
  const receiver = await getReceiver(env, to);
  if (receiver.url === '') return async () => createUnsentAttempt('the integration has no URL for events');
  return (delivery) => {
    const payload = to.kind === 'webhook' ? createPayload(delivery.event) : buildPayload(env, to, delivery);
    return postEvent(env, receiver, { delivery: getDeliveryId(delivery), type: payload.type, payload });
  };
}

/**
 * Returns the id of a delivery. A redelivery has a different id, so that receivers which ignore known ids accept it.
 */
const getDeliveryId = ({ id, redeliveries }: DueDelivery): string =>
  redeliveries === 0 ? id : `${id}-${redeliveries}`;

function toScript(env: IntegrationsEnvironment, db: Database, to: Subscriber): Send {
  return (delivery) =>
    callScriptForEvent(env, db, to, { event: buildPayload(env, to, delivery), depth: delivery.depth });
}

function buildPayload(env: IntegrationsEnvironment, { installation }: Subscriber, { event, actorName }: DueDelivery) {
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
  const offset = Date.now();
  const to = { installation: installation ?? '', integration: integration ?? '', account };
  const attempt = (outcome: Pick<Attempt, 'status' | 'error' | 'settled'>): Attempt => ({
    ...{ at: offset, milliseconds: Date.now() - offset, responseText: null, retryAfter: 0 },
    ...outcome,
  });
  try {
    const { status, error = null } = await dispatchEvent({ env, db, urls: createUrls(env) }, { ...to, event, depth });
    return attempt({ status, error, ...(status === NOT_HANDLED && { settled: 'delivered' }) });
  } catch (error) {
    log('error', 'could not call the script', { subscription: id, cause: describeError(error) });
    return attempt({ status: null, error: 'the script could not be called' });
  }
}
