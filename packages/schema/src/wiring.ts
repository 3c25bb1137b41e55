import * as z from 'zod';

/** How a queue hands over its messages, as is usual at Cloudflare; times are in seconds. */
const Delivery = z.strictObject({
  maxBatchSize: z.number().int().positive().default(10),
  maxBatchTimeout: z.number().nonnegative().default(1),
  maxRetries: z.number().int().nonnegative().default(3),
  deadLetterQueue: z.string().optional(),
  /** How many batches are handled at once; without it as many as suit where it runs. */
  maxConcurrency: z.number().int().positive().optional(),
});
export type Delivery = z.output<typeof Delivery>;

const byName = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);

/** What the configuration of a worker says of its bindings, by their names. */
const WorkerWiring = z.object({
  vars: byName(z.string()),
  /** Bindings of the database. */
  databases: z.array(z.string()),
  /** The queue that each sends to. */
  queues: byName(z.string()),
  /** The queues that the worker takes messages from. */
  consumes: byName(Delivery),
  services: byName(z.object({ worker: z.string(), entrypoint: z.string().optional() })),
  /** The class of each namespace of Durable Objects, which is one of the worker's own. */
  objects: byName(z.string()),
  /** The names that buckets and folders have among the bindings of the machine's worker. */
  passed: byName(z.string()),
});
export type WorkerWiring = z.input<typeof WorkerWiring>;

/** How the workers are bound to each other where they run in one isolate, by their names. */
export const Wiring = byName(WorkerWiring);
export type Wiring = z.input<typeof Wiring>;
