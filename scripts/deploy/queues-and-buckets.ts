import { PlatformError } from '@octavo/platform';
import { isConsumerOf } from './account.ts';
import { addPrefix, type PlannedWorker } from './configurations.ts';
import type { State, Step } from './deployer.ts';

const removeDuplicates = <Value>(values: Value[]): Value[] => [...new Set(values)];

/** @throws PlatformError if another application consumes a queue of the platform */
export function checkConsumers({ workers, shared }: State): void {
  const names = workers.flatMap(({ configuration }) => configuration.queues.consumers.map(({ queue }) => queue));
  for (const { queue_name: queue, consumers = [] } of shared.queues)
    for (const consumer of names.includes(queue) ? consumers : [])
      if (!workers.some(({ name }) => isConsumerOf(name)(consumer)))
        throw new PlatformError(
          `The queue ${queue} has a consumer of another application: ${consumer.script ?? consumer.script_name ?? consumer.service ?? consumer.consumer_id}. Delete this consumer, or choose another prefix.`,
        );
}

/**
 * Checks that the queues and buckets of the account belong to this platform. A deployment creates the database before
 * them, so if there is no database, they belong to another application.
 * @throws PlatformError if there is no database, but there are queues or buckets with these names
 */
function checkNew({ database, deployer: { settings } }: State, kind: 'queue' | 'bucket', existing: string[]): void {
  if (database !== undefined || existing.length === 0) return;
  throw new PlatformError(
    `The account has the ${kind} ${existing[0]}, but no database ${addPrefix(settings.prefix, 'octavo')}. Another application may use it. Delete it, or choose another prefix.`,
  );
}

/** A queue has one consumer. Another release can give it to another worker. */
export async function removeFormerConsumers(
  { deployer: { account }, shared }: State,
  worker: PlannedWorker,
): Promise<void> {
  const names = worker.configuration.queues.consumers.map(({ queue }) => queue);
  for (const { queue_id: queue, queue_name: name, consumers = [] } of shared.queues)
    for (const consumer of names.includes(name) ? consumers : [])
      if (!isConsumerOf(worker.name)(consumer))
        await account.api.send(
          'DELETE',
          `${account.path}/queues/${queue}/consumers/${consumer.consumer_id}`,
          undefined,
        );
}

export function planQueues(state: State): Step[] {
  const { deployer, workers, shared } = state;
  const { account } = deployer;
  const names = workers.flatMap(({ configuration: { queues } }) => [
    ...queues.producers.map(({ queue }) => queue),
    ...queues.consumers.flatMap(({ queue, dead_letter_queue: dead }) => (dead === undefined ? [queue] : [queue, dead])),
  ]);
  const existing = new Set(shared.queues.map(({ queue_name }) => queue_name));
  checkNew(
    state,
    'queue',
    names.filter((name) => existing.has(name)),
  );
  return removeDuplicates(names)
    .filter((name) => !existing.has(name))
    .map((name) => ({
      title: `create the queue ${name}`,
      run: async () => {
        await account.api.send('POST', `${account.path}/queues`, { queue_name: name });
      },
    }));
}

export async function planBuckets(state: State): Promise<Step[]> {
  const { deployer, workers } = state;
  const { account, settings } = deployer;
  const names = removeDuplicates(
    workers.flatMap(({ configuration }) => configuration.r2_buckets.map((each) => each.bucket_name)),
  );
  const path = `${account.path}/r2/buckets`;
  const foundBuckets = await Promise.all(names.map((name) => account.api.find(`${path}/${name}`)));
  checkNew(
    state,
    'bucket',
    names.filter((_, index) => foundBuckets[index] !== undefined),
  );
  return names
    .filter((_, index) => foundBuckets[index] === undefined)
    .map((name) => ({
      title: `create the bucket ${name} in ${settings.region}`,
      run: async () => {
        await account.api.send('POST', path, { name, locationHint: settings.region });
      },
    }));
}
