import * as collaboration from '@octavo/collaboration';
import * as content from '@octavo/content';
import type gateway from '@octavo/gateway';
import * as integrations from '@octavo/integrations';
import * as operator from '@octavo/operator';
import * as orgAdmin from '@octavo/org-admin';
import * as publishing from '@octavo/publishing';
import { describeError, InProcessWorker, log } from '@octavo/runtime';
import { type Delivery, Wiring } from '@octavo/schema';
import { guardBucket, isBucket } from './guard-bucket.ts';
import { LocalQueue } from './local-queue.ts';

/** The environment of the machine. The bindings of its workers are created from it. */
export interface MachineEnvironment {
  MACHINE: DurableObjectNamespace;
  /** The bindings between the workers, as JSON. */
  WIRING: string;
  /** The id of the database, which is its file name. */
  DATABASE: string;
  /** Buckets and folders, by their names in the wiring. */
  [passedName: string]: unknown;
}

const readWiring = ({ WIRING }: MachineEnvironment): ReturnType<typeof Wiring.parse> =>
  Wiring.parse(JSON.parse(WIRING));

/** The modules of the workers that run in the machine's object, by name. The gateway runs in front of it. */
const workers = { collaboration, content, integrations, operator, 'org-admin': orgAdmin, publishing };

type ParsedWiring = ReturnType<typeof readWiring>;
type Bindings = Record<string, unknown>;
type Entry = new (context: DurableObjectState, env: Bindings) => object;

interface Cron {
  cron: string;
  scheduledTime: Date;
}

/** A worker's module. The wiring provides the environment that its configuration declares. */
interface WorkerModule {
  default: {
    fetch?(request: Request, env: Bindings, context: DurableObjectState): Promise<Response> | Response;
    queue?(batch: MessageBatch, env: Bindings, context: DurableObjectState): Promise<void> | void;
    scheduled?(cron: Cron, env: Bindings, context: DurableObjectState): Promise<void>;
  };
  [entrypoint: string]: unknown;
}

/** A worker with its environment, running in the machine's object. */
class ResidentWorker extends InProcessWorker {
  readonly env: Bindings = {};
  readonly #name: string;
  readonly #module: WorkerModule;
  readonly #context: DurableObjectState;

  constructor(name: string, module: WorkerModule, context: DurableObjectState) {
    super();
    this.#name = name;
    this.#module = module;
    this.#context = context;
  }

  fetch(request: Request): Promise<Response> | Response {
    return this.#requirePart(this.#module.default.fetch, 'requests')(request, this.env, this.#context);
  }

  async queue(batch: MessageBatch): Promise<void> {
    await this.#requirePart(this.#module.default.queue, 'messages')(batch, this.env, this.#context);
  }

  async scheduled(cron: Cron): Promise<{ outcome: string }> {
    try {
      await this.#requirePart(this.#module.default.scheduled, 'crons')(cron, this.env, this.#context);
      return { outcome: 'ok' };
    } catch (error) {
      log('error', 'cron failed', { worker: this.#name, cause: describeError(error) });
      return { outcome: 'exception' };
    }
  }

  /** Returns an object of one of the classes that the worker exports or binds itself. */
  createEntry(name: string): object {
    return new (this.#requirePart(this.#module[name] as Entry | undefined, name))(this.#context, this.env);
  }

  #requirePart<Part>(part: Part | undefined, description: string): Part {
    if (part === undefined) throw new TypeError(`The worker "${this.#name}" does not handle ${description}.`);
    return part;
  }
}

/** Returns the module to run in place of a worker's own. */
export type AdaptModule = (module: WorkerModule, name: string) => WorkerModule;

interface WireOptions {
  database: unknown;
  /** In tests: limits the bindings of each worker. */
  adapt?: AdaptModule | undefined;
}

/** Creates the environment of each worker from its configuration. All bindings are served in process. */
export function wireWorkers(
  context: DurableObjectState,
  env: MachineEnvironment,
  { database, adapt = (module) => module }: WireOptions,
): Map<string, ResidentWorker> {
  const { gateway: _, ...wiring } = readWiring(env);
  const residents = new Map<string, ResidentWorker>();
  for (const [name, module] of Object.entries(workers as unknown as Record<string, WorkerModule>))
    residents.set(name, new ResidentWorker(name, adapt(module, name), context));
  const queues = createQueues(wiring, residents);
  for (const [name, bindings] of Object.entries(wiring)) {
    const resident = findByName(residents, name);
    Object.assign(resident.env, bindings.vars, {
      ...mapValues(bindings.databases, () => database),
      ...mapEntries(bindings.queues, (queue) => findByName(queues, queue)),
      ...mapEntries(bindings.machineBindings, (binding) =>
        isBucket(binding) ? guardBucket(env[binding] as R2Bucket) : env[binding],
      ),
      ...mapEntries(bindings.services, ({ worker, entrypoint }) =>
        createService(findByName(residents, worker), entrypoint),
      ),
      ...mapEntries(bindings.objects, (className) => createSingleObject(resident.createEntry(className))),
    });
  }
  return residents;
}

const createService = (resident: ResidentWorker, entrypoint: string | undefined): object =>
  entrypoint === undefined ? resident : resident.createEntry(entrypoint);

/** A namespace of Durable Objects without state: a single object serves all names. */
const createSingleObject = (object: object) => ({ idFromName: (name: string) => name, get: () => object });

/** Returns the object that serves the live connections of all spaces. */
export const getSpaceHead = (residents: Map<string, ResidentWorker>): DurableObject =>
  (findByName(residents, 'content').env.SPACE_HEAD as ReturnType<typeof createSingleObject>).get() as DurableObject;

type GatewayEnvironment = Parameters<typeof gateway.fetch>[1];

/** Creates the gateway's environment with the workers that exist. */
export function createGateway(env: MachineEnvironment, residents: Map<string, ResidentWorker>): GatewayEnvironment {
  const { vars = {}, services = {}, machineBindings = {} } = readWiring(env).gateway ?? {};
  return {
    ...vars,
    ...mapEntries(services, ({ worker }) => residents.get(worker)),
    ...mapEntries(machineBindings, (name) => env[name]),
  } as unknown as GatewayEnvironment;
}

function createQueues(wiring: ParsedWiring, residents: Map<string, ResidentWorker>): Map<string, LocalQueue> {
  const queues = new Map<string, LocalQueue>();
  const consumed = Object.entries(wiring).flatMap(([worker, { consumes }]) =>
    Object.entries(consumes).map(([queue, delivery]): [string, string, Delivery] => [worker, queue, delivery]),
  );
  for (const [worker, queue, delivery] of consumed) {
    const consume = (batch: MessageBatch) => findByName(residents, worker).queue(batch);
    const { deadLetterQueue: dead } = delivery;
    const deadLetters = dead === undefined ? undefined : (body: unknown) => findByName(queues, dead).send(body);
    queues.set(queue, new LocalQueue(queue, delivery, { consume, deadLetters }));
  }
  return queues;
}

function findByName<Value>(byName: Map<string, Value>, name: string): Value {
  const value = byName.get(name);
  if (value === undefined) throw new TypeError(`There is no service named "${name}".`);
  return value;
}

const mapValues = <Value>(names: string[], convert: () => Value) =>
  Object.fromEntries(names.map((name) => [name, convert()]));

const mapEntries = <From, To>(byName: Record<string, From>, convert: (from: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(byName).map(([name, from]) => [name, convert(from)]));
