import { connect, countQueries, hasQueries } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { consume, describeError, handleEachMessage, log } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { FeedMessage, SendMessage } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { fanOut, maxWaiting } from './fan-out.ts';
import { runSubscription } from './run-subscription.ts';
import { wake, wakeAfterCommit } from './schedule.ts';
import { pauseWebhook } from './subscriptions.ts';

/** Maximum number of runs that wait for receivers in one isolate. */
const maxRuns = 100;
/** Maximum number of subscriptions that wait for a run. The sweep wakes further ones later. */
const maxRemembered = 10_000;

/**
 * Limits the number of concurrent runs, because a run may wait long for a slow receiver. An organization may start
 * another run only if it has fewer runs than half the number of free ones, so that runs remain for other organizations.
 */
class RunSlots {
  readonly #runs = new Map<OrganizationId, number>();
  readonly #waitingByOrganization = new Map<OrganizationId, Set<string>>();
  #takenCount = 0;
  #remembered = 0;

  /** Reserves a run. If the organization may not start one now, stores the subscription until it may. */
  reserveRun({ organization, subscription }: SendMessage): boolean {
    if (!this.#mayHave(organization)) {
      this.#remember(organization, subscription);
      return false;
    }
    this.#forget(organization, subscription);
    this.#runs.set(organization, this.#countRuns(organization) + 1);
    this.#takenCount += 1;
    return true;
  }

  /** Releases a run. Returns the next waiting subscription, from the organization with the fewest runs. */
  release(organization: OrganizationId): SendMessage | undefined {
    const remaining = this.#countRuns(organization) - 1;
    if (remaining > 0) this.#runs.set(organization, remaining);
    else this.#runs.delete(organization);
    this.#takenCount -= 1;
    const [next] = [...this.#waitingByOrganization.keys()].sort(
      (one, other) => this.#countRuns(one) - this.#countRuns(other),
    );
    const [subscription] = (next === undefined ? undefined : this.#waitingByOrganization.get(next)) ?? [];
    if (next === undefined || subscription === undefined || !this.#mayHave(next)) return undefined;
    this.#forget(next, subscription);
    return { organization: next, subscription };
  }

  #mayHave(organization: OrganizationId): boolean {
    return this.#countRuns(organization) < (maxRuns - this.#takenCount) / 2;
  }

  #countRuns(organization: OrganizationId): number {
    return this.#runs.get(organization) ?? 0;
  }

  #remember(organization: OrganizationId, subscription: string): void {
    const waitingIds = this.#waitingByOrganization.get(organization) ?? new Set();
    if (waitingIds.has(subscription) || this.#remembered >= maxRemembered) return;
    this.#waitingByOrganization.set(organization, waitingIds.add(subscription));
    this.#remembered += 1;
  }

  #forget(organization: OrganizationId, subscription: string): void {
    const waitingIds = this.#waitingByOrganization.get(organization);
    if (waitingIds?.delete(subscription)) this.#remembered -= 1;
    if (waitingIds?.size === 0) this.#waitingByOrganization.delete(organization);
  }
}

const maxStepsAtOnce = 20;
const maxQueriesPerStep = 40;
const runSlots = new RunSlots();

/**
 * Distributes an organization's feed and wakes subscriptions with due deliveries. The next message continues with the
 * rest.
 */
async function distributeFeed(
  env: IntegrationsEnvironment,
  background: Background,
  organization: OrganizationId,
): Promise<void> {
  const { db, cost } = connect(env.DB, { intent: 'write' });
  let steps = 0;
  for (; steps < maxStepsAtOnce && hasQueries(env, maxQueriesPerStep); steps += 1) {
    const { woken, full, droppedForDepth, hasMore } = await fanOut(db, organization);
    if (droppedForDepth > 0)
      log('warn', 'events not sent because the chain of scripts is too long', { organization, droppedForDepth });
    const isQueueFull = sql`waiting >= ${maxWaiting}`;
    for (const id of full)
      await pauseWebhook({ env, db, background }, { id, organization, reason: 'full', condition: isQueueFull });
    await wake(
      env,
      woken.map((subscription) => ({ subscription, organization })),
    );
    if (!hasMore) return log('info', 'events dispatched', { organization, steps: steps + 1, ...cost });
  }
  log('info', 'events dispatched', { organization, steps, ...cost });
  await env.DELIVERIES?.sendBatch([{ body: { id: organization, type: 'feed' } }]);
}

/** Handles messages about new events, once for each organization in the batch. */
const handleFeedMessages = (batch: MessageBatch, env: IntegrationsEnvironment, background: Background): Promise<void> =>
  consume(batch, FeedMessage, async (messages) => {
    const failures = new Map<FeedMessage, unknown>();
    const countedEnv = countQueries(env);
    for (const [organization, group] of Map.groupBy(messages, ({ id }) => id))
      await distributeFeed(countedEnv, background, organization).catch((error: unknown) => {
        for (const message of group) failures.set(message, error);
      });
    return failures;
  });

/**
 * Sends outside of the queue's batch, so that an unresponsive receiver does not block later messages. If no run slot is
 * free, the subscription is queued again as soon as a slot is free.
 */
const handleSendMessages = (batch: MessageBatch, env: IntegrationsEnvironment, background: Background): Promise<void> =>
  consume(
    batch,
    SendMessage,
    handleEachMessage(async (message) => {
      const { subscription, organization } = message;
      if (!runSlots.reserveRun(message)) return;
      const run = runSubscription(env, background, subscription).catch((error: unknown) =>
        log('error', 'delivery failed', { subscription, cause: describeError(error) }),
      );
      background.waitUntil(
        run.finally(() => {
          const next = runSlots.release(organization);
          if (next !== undefined) wakeAfterCommit(env, background, [next]);
        }),
      );
    }),
  );

/** Consumes the queues of this worker. */
export const handleMessages = (
  batch: MessageBatch,
  env: IntegrationsEnvironment,
  background: Background,
): Promise<void> => (batch.queue === 'sends' ? handleSendMessages : handleFeedMessages)(batch, env, background);
