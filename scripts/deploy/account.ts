import { isDeepStrictEqual } from 'node:util';
import { PlatformError } from '@octavo/platform';
import { CallError, type CloudflareApi } from './cloudflare.ts';
import type { PlannedWorker } from './configurations.ts';

export interface Deployment {
  created_on: string;
  versions: { version_id: string; percentage: number }[];
  annotations?: Record<string, string>;
}

interface Binding {
  name: string;
  type: string;
  text?: string;
}

interface Consumer {
  consumer_id: string;
  script?: string;
  script_name?: string;
  service?: string;
  dead_letter_queue?: string;
  settings?: Record<string, unknown>;
}

export interface Queue {
  queue_id: string;
  queue_name: string;
  consumers?: Consumer[];
}

export interface Zone {
  id: string;
  name: string;
}

/** The state of a worker in the account. */
export interface LiveWorker {
  migrationTag: string | undefined;
  /** The newest deployment is first. */
  deployments: Deployment[];
  /** The version that serves requests. */
  version: string;
  build: string;
  /** The URL of the API that the worker was deployed with. */
  url: string | undefined;
  /** The names of its secrets. */
  secrets: string[];
  triggers: Triggers;
  observability: unknown;
}

/** The settings that do not belong to a version, in a form that can be compared. */
interface Triggers {
  crons: string[];
  routes: string[];
  consumers: unknown[];
  isOnWorkersDev: boolean;
}

/** A client of Cloudflare's API for one account. */
export class Account {
  readonly api: CloudflareApi;
  readonly id: string;

  constructor(api: CloudflareApi, id: string) {
    this.api = api;
    this.id = id;
  }

  get path(): string {
    return `/accounts/${this.id}`;
  }

  getScriptPath = (worker: string): string => `${this.path}/workers/scripts/${worker}`;

  readDatabase = async (name: string): Promise<{ uuid: string; name: string } | undefined> =>
    (await this.api.list<{ uuid: string; name: string }>(`${this.path}/d1/database?name=${name}`)).find(
      (each) => each.name === name,
    );

  async query<Row>(database: string, sql: string): Promise<Row[]> {
    const path = `${this.path}/d1/database/${database}/query`;
    const results = await this.api.send<{ results: Row[] }[]>('POST', path, { sql });
    return results[0]?.results ?? [];
  }

  /** Returns no rows if the table does not exist yet. */
  queryIfExists = <Row>(database: string, sql: string): Promise<Row[]> =>
    this.query<Row>(database, sql).catch((error: unknown) => {
      if (error instanceof CallError && error.message.includes('no such table')) return [];
      throw error;
    });

  /** Returns the zone that a host belongs to: the longest suffix that is a zone of the account. */
  async findZone(host: string): Promise<Zone> {
    const labels = host.split('.');
    for (const start of labels.keys()) {
      const name = labels.slice(start).join('.');
      const zones = await this.api.list<Zone>(`/zones?name=${name}&account.id=${this.id}`);
      if (zones[0] !== undefined) return zones[0];
    }
    throw new PlatformError(
      `The account has no zone for ${host}. Add the domain to the account, and give the API token access to it.`,
    );
  }

  async readDeployments(worker: string): Promise<Deployment[]> {
    const path = `${this.getScriptPath(worker)}/deployments`;
    return (await this.api.find<{ deployments: Deployment[] }>(path))?.deployments ?? [];
  }

  /** Sends traffic to versions, in percent. */
  deployVersions = (worker: string, percentages: Record<string, number>, message: string): Promise<unknown> =>
    this.api.send('POST', `${this.getScriptPath(worker)}/deployments`, {
      strategy: 'percentage',
      versions: Object.entries(percentages).map(([version_id, percentage]) => ({ version_id, percentage })),
      annotations: { 'workers/message': message },
    });
}

/** Returns the version that serves most requests of a deployment. */
export const getMainVersion = ({ versions }: Deployment): string =>
  versions.toSorted((a, b) => b.percentage - a.percentage)[0]?.version_id ?? '';

const compareTexts = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

const toConsumerSettings = (consumer: PlannedWorker['configuration']['queues']['consumers'][number]) => ({
  batch_size: consumer.max_batch_size,
  max_retries: consumer.max_retries,
  retry_delay: consumer.retry_delay,
  max_wait_time_ms: consumer.max_batch_timeout === undefined ? undefined : 1000 * consumer.max_batch_timeout,
  max_concurrency: consumer.max_concurrency ?? undefined,
});

/** Returns the triggers that a configuration defines. */
const getConfiguredTriggers = ({ configuration }: PlannedWorker): Triggers => ({
  crons: (configuration.triggers?.crons ?? []).toSorted(),
  routes: configuration.routes.map(({ pattern }) => pattern).toSorted(),
  consumers: configuration.queues.consumers
    .map((each) => ({ queue: each.queue, dead: each.dead_letter_queue, ...toConsumerSettings(each) }))
    .toSorted(compareTexts),
  isOnWorkersDev: false,
});

export const isConsumerOf = (name: string) => (consumer: Consumer) =>
  [consumer.script, consumer.script_name, consumer.service].includes(name);

/** Returns the consumers of a worker with the settings that its configuration names. */
const getLiveConsumers = (worker: PlannedWorker, queues: Queue[]): unknown[] =>
  queues
    .flatMap(({ queue_name: queue, consumers = [] }) =>
      consumers.filter(isConsumerOf(worker.name)).map(({ dead_letter_queue: dead, settings = {} }) => {
        const consumer = worker.configuration.queues.consumers.find((each) => each.queue === queue);
        const names = Object.keys(
          consumer === undefined ? {} : toConsumerSettings(consumer),
        ) as (keyof typeof settings)[];
        return { queue, dead, ...Object.fromEntries(names.map((name) => [name, settings[name] ?? undefined])) };
      }),
    )
    .toSorted(compareTexts);

/** Whether an object has all values of another one. The API adds values of its own. */
const includesValues = (actual: unknown, expected: unknown): boolean =>
  typeof expected === 'object' && expected !== null
    ? typeof actual === 'object' &&
      actual !== null &&
      Object.entries(expected).every(([name, value]) =>
        includesValues((actual as Record<string, unknown>)[name], value),
      )
    : actual === expected;

export const hasTriggers = ({ triggers }: LiveWorker, worker: PlannedWorker): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(triggers)), JSON.parse(JSON.stringify(getConfiguredTriggers(worker))));

export const hasObservability = ({ observability }: LiveWorker, { configuration }: PlannedWorker): boolean =>
  includesValues(observability, configuration.observability);

/** The triggers of all workers, which the API lists by queue and by zone. */
export interface SharedTriggers {
  queues: Queue[];
  domains: { hostname: string; service: string }[];
  routes: { pattern: string; script?: string }[];
}

/** Reads the state of a worker in the account. Returns undefined if the worker does not exist. */
export async function readWorker(
  account: Account,
  worker: PlannedWorker,
  shared: SharedTriggers,
): Promise<LiveWorker | undefined> {
  const { api } = account;
  const script = account.getScriptPath(worker.name);
  interface Service {
    default_environment: { script: { migration_tag?: string } };
  }
  const service = await api.find<Service>(`${account.path}/workers/services/${worker.name}`);
  const deployments = service === undefined ? [] : await account.readDeployments(worker.name);
  if (service === undefined || deployments[0] === undefined) return undefined;
  const [{ schedules }, subdomain, settings] = await Promise.all([
    api.get<{ schedules: { cron: string }[] }>(`${script}/schedules`),
    api.get<{ enabled: boolean; previews_enabled?: boolean }>(`${script}/subdomain`),
    api.get<{ observability?: unknown }>(`${script}/script-settings`),
  ]);
  const version = getMainVersion(deployments[0]);
  const { resources } = await api.get<{ resources: { bindings: Binding[] } }>(`${script}/versions/${version}`);
  const readVariable = (name: string) => resources.bindings.find((binding) => binding.name === name)?.text;
  const build = readVariable('OCTAVO_BUILD');
  if (build === undefined)
    throw new PlatformError(
      `The account has a worker ${worker.name} that this command did not deploy. Choose another prefix.`,
    );
  const routes = [
    ...shared.domains.filter((each) => each.service === worker.name).map(({ hostname }) => hostname),
    ...shared.routes.filter((each) => each.script === worker.name).map(({ pattern }) => pattern),
  ];
  return {
    migrationTag: service.default_environment.script.migration_tag,
    deployments,
    version,
    build,
    url: readVariable('OCTAVO_PUBLIC_URL'),
    secrets: resources.bindings.flatMap(({ name, type }) => (type === 'secret_text' ? [name] : [])),
    triggers: {
      crons: schedules.map(({ cron }) => cron).toSorted(),
      routes: routes.toSorted(),
      consumers: getLiveConsumers(worker, shared.queues),
      isOnWorkersDev: subdomain.enabled || subdomain.previews_enabled === true,
    },
    observability: settings.observability,
  };
}
