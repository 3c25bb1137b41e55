import * as z from 'zod';

/** The delivery settings of a queue, with the same defaults as Cloudflare. Times are in seconds. */
const Delivery = z.strictObject({
  maxBatchSize: z.number().int().positive().default(10),
  maxBatchTimeout: z.number().nonnegative().default(1),
  maxRetries: z.number().int().nonnegative().default(3),
  deadLetterQueue: z.string().optional(),
  /** Number of concurrent batches. Without it, the platform decides. */
  maxConcurrency: z.number().int().positive().optional(),
});
export type Delivery = z.output<typeof Delivery>;

const createMapSchema = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);

/** The bindings in the configuration of a worker, by their names. */
const WorkerWiring = z.object({
  vars: createMapSchema(z.string()),
  /** Database bindings. */
  databases: z.array(z.string()),
  /** The target queue of each queue binding. */
  queues: createMapSchema(z.string()),
  /** The queues that the worker consumes. */
  consumes: createMapSchema(Delivery),
  services: createMapSchema(z.object({ worker: z.string(), entrypoint: z.string().optional() })),
  /** The class of each Durable Object namespace. The worker itself defines the class. */
  objects: createMapSchema(z.string()),
  /** Bindings that the machine's own worker provides, such as buckets, with their names in that worker. */
  machineBindings: createMapSchema(z.string()),
});
export type WorkerWiring = z.input<typeof WorkerWiring>;

/** The bindings between workers that run in one isolate, by worker name. */
export const Wiring = createMapSchema(WorkerWiring);
export type Wiring = z.input<typeof Wiring>;
