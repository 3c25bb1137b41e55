import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  contributors,
  type DeploySettings,
  DIRECTORY_WORKER,
  findConfigFiles,
  listCells,
  PlatformError,
  placeholder,
  RENDER_WORKER,
  readWranglerConfiguration,
  regions,
  runsOnlyOnMachine,
  type WranglerConfiguration as Source,
} from '@octavo/platform';
import { defaultRateLimits, type RateKind, readRateLimits } from '@octavo/schema';

export const GATEWAY = 'gateway';
export const SECRET = 'OCTAVO_SECRET';
/** The key that authenticates a directory to its cells. */
export const DIRECTORY_KEY = 'OCTAVO_DIRECTORY_KEY';
export type SecretName = typeof SECRET | typeof DIRECTORY_KEY;

/** A worker with its complete configuration for Cloudflare. */
export interface PlannedWorker {
  /** The name in the repository, such as `content`. */
  role: string;
  /** The name in the account, such as `octavo-content`. */
  name: string;
  configuration: ReturnType<typeof createConfiguration>;
  /** The hash of its modules and static files. */
  upload: string;
  /**
   * The value of OCTAVO_BUILD: the hash of everything that a version of the worker consists of, a dot, and the hash of
   * the other worker that affects its cached responses.
   */
  build: string;
  /** The names of the secrets that it needs. */
  secrets: SecretName[];
}

/** Returns the name of a worker, queue, bucket or database in the account. */
export const addPrefix = (prefix: string, name: string): string =>
  [prefix, name.replace(/^octavo(?:-|$)/, '')].filter((part) => part !== '').join('-');

/**
 * Settings of wrangler.toml that only matter for bundling, which is already done, or that wrangler sets for itself.
 * They are not deployed.
 */
const bundlingSettings = [
  ...['configPath', 'userConfigPath', 'topLevelName', 'definedEnvironments', 'jsx_factory', 'jsx_fragment', 'rules'],
  ...['build', 'define', 'alias', 'minify', 'keep_names', 'python_modules', 'dev', 'unsafe'],
];

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.values(value).every(isEmpty));

/** Whether a worker receives the requests of visitors: the gateway, or the directory of several platforms. */
const isEntryWorker = ({ name }: Pick<Source, 'name'>): boolean => name === GATEWAY || name === DIRECTORY_WORKER;

/** Whether a worker writes to the database of a platform. Such a worker also needs the secret. */
const isDomainWorker = (source: Pick<Source, 'name'>): boolean =>
  !isEntryWorker(source) && source.name !== RENDER_WORKER;

/** The worker that serves the lookups of a directory. */
const LOOKUP_WORKER = 'org-admin';

function listSecrets(source: Pick<Source, 'name'>, { cell }: DeploySettings): SecretName[] {
  if (source.name === DIRECTORY_WORKER) return [DIRECTORY_KEY];
  if (!isDomainWorker(source)) return [];
  return source.name === LOOKUP_WORKER && cell !== '' ? [SECRET, DIRECTORY_KEY] : [SECRET];
}

/** Returns the workers that the settings describe: those of a platform, or a directory. */
export const chooseSources = <Worker extends Pick<Source, 'name'>>(sources: Worker[], { cells }: DeploySettings) =>
  sources.filter(({ name }) => (name === DIRECTORY_WORKER) === (cells !== ''));

/** Returns the hosts of the API and of sites as routes of the gateway. */
function createRoutes({ api, sites, customHostnames }: DeploySettings, zone: string) {
  const site = new URL(sites.replace('{organization}.', 'organization.'));
  const isWildcard = sites.includes('{organization}.');
  const sitesRoute = isWildcard
    ? { pattern: `${site.host.replace('organization.', '*.')}/*`, zone_name: zone }
    : { pattern: site.host, custom_domain: true };
  return [
    { pattern: new URL(api).host, custom_domain: true },
    sitesRoute,
    ...(customHostnames ? [{ pattern: '*/*', zone_name: zone }] : []),
  ];
}

/**
 * Returns the rate limits with the numbers of the settings. Their ids are unique in the account, because workers with
 * the same id share a counter.
 */
function createRateLimits(ratelimits: Source['ratelimits'], { prefix, rateLimits }: DeploySettings) {
  const limits = readRateLimits(rateLimits);
  const group = (createHash('sha256').update(prefix).digest().readUInt32BE() % 100_000) * 10_000;
  return ratelimits.flatMap(({ name, namespace_id, simple }) => {
    const kind = name.replace('LIMIT_', '').toLowerCase().replace('_', '-');
    if (!Object.hasOwn(defaultRateLimits, kind)) throw new PlatformError(`The rate limit ${name} has no default.`);
    const limit = limits[kind as RateKind];
    const namespace = String(group + Number(namespace_id));
    return limit === 0 ? [] : [{ name, namespace_id: namespace, simple: { ...simple, limit } }];
  });
}

interface Destination {
  settings: DeploySettings;
  /** The name of the zone of the sites. */
  zone: string;
}

const OPERATOR = 'operator';
/** The most retries that Cloudflare allows. Each waits a minute, so that dead letters survive a failure of the database. */
const deadLetterDelivery = { max_batch_size: 10, max_batch_timeout: 5, max_retries: 100, retry_delay: 60 };

/** Adds the parts that only Cloudflare needs: operator calls through the gateway, and a consumer of dead letters. */
function addOperator(sources: Source[]): Source[] {
  const deadQueues = sources.flatMap(({ queues }) =>
    (queues.consumers ?? []).flatMap(({ dead_letter_queue: queue }) => queue ?? []),
  );
  return sources.map((source) => {
    const { name, services, queues } = source;
    const binding = { binding: 'OPERATOR', service: OPERATOR, entrypoint: 'RemoteOperator' };
    if (name === GATEWAY) return { ...source, services: [...services, binding] };
    if (name !== OPERATOR) return source;
    return {
      ...source,
      queues: { ...queues, consumers: deadQueues.map((queue) => ({ queue, ...deadLetterDelivery })) },
    };
  });
}

/** Returns the configuration of a worker, whose paths are relative to `build/deploy/<prefix>`. */
function createConfiguration(source: Source, { settings, zone }: Destination) {
  const { prefix, region, api, sites, mail, rateLimits, textDays } = settings;
  const { name: role } = source;
  const isGateway = role === GATEWAY;
  const cells = role === DIRECTORY_WORKER ? listCells(settings) : [];
  const secrets = listSecrets(source, settings);
  const rename = (name: string) => addPrefix(prefix, name);
  const { producers = [], consumers = [] } = source.queues;
  const keptSettings = Object.entries(source).filter(
    ([name, value]) => !bundlingSettings.includes(name) && !isEmpty(value),
  );
  return {
    ...(Object.fromEntries(keptSettings) as Partial<Source>),
    name: rename(role),
    account_id: settings.account,
    main: `../../${role}/worker.js`,
    no_bundle: true,
    workers_dev: false,
    preview_urls: false,
    ...(source.assets?.directory === undefined
      ? {}
      : { assets: { ...source.assets, directory: `../../${path.basename(source.assets.directory)}` } }),
    vars: {
      ...source.vars,
      OCTAVO_PUBLIC_URL: api,
      OCTAVO_SITES_URL: sites,
      ...('OCTAVO_MAIL_FROM' in source.vars ? { OCTAVO_MAIL_FROM: mail } : {}),
      ...(isEntryWorker(source) ? {} : { OCTAVO_REGION: region }),
      ...(cells.length > 0 ? { OCTAVO_CELLS: cells.map(({ name }) => name).join(' ') } : {}),
      ...(role === 'content' && textDays !== '' ? { OCTAVO_TEXT_DAYS: textDays } : {}),
      ...(isGateway && rateLimits !== '' ? { OCTAVO_RATE_LIMITS: rateLimits } : {}),
    } as Record<string, unknown>,
    d1_databases: source.d1_databases.map(({ binding, database_name }) => ({
      binding,
      database_name: rename(database_name),
      database_id: '',
    })),
    services: [
      ...source.services.map((each) => ({ ...each, service: rename(each.service) })),
      ...cells.map(({ name, prefix }) => ({
        binding: `CELL_${name.toUpperCase()}`,
        service: addPrefix(prefix, GATEWAY),
      })),
    ],
    queues: {
      producers: producers.map((each) => ({ ...each, queue: rename(each.queue) })),
      consumers: consumers.map(({ dead_letter_queue: dead, ...each }) => ({
        ...each,
        queue: rename(each.queue),
        ...(dead === undefined ? {} : { dead_letter_queue: rename(dead) }),
      })),
    },
    r2_buckets: source.r2_buckets.map(({ binding, bucket_name: bucket }) => ({
      binding,
      bucket_name: rename(bucket),
    })),
    ratelimits: createRateLimits(source.ratelimits, settings),
    // The gateway runs near the visitor, and so does the publishing worker, which has most pages of sites in a cache. The
    // other domain workers run near the database, which they call several times.
    // A directory calls the gateway of a cell through a service binding.
    routes: isEntryWorker(source) && settings.cell === '' ? createRoutes(settings, zone) : [],
    ...(isDomainWorker(source) && role !== 'publishing' ? { placement: { region: regions[region] } } : {}),
    ...(secrets.length > 0 ? { secrets: { required: secrets } } : {}),
    observability: {
      enabled: true,
      head_sampling_rate: 1,
      // Logs of invocations and traces contain complete URLs, with the tokens and share keys of visitors. The gateway logs
      // each request itself, with its path and without secrets.
      logs: { enabled: true, head_sampling_rate: 1, invocation_logs: false },
      traces: { enabled: false },
    },
  };
}

/** Adds the names and contents of files to a hash. */
async function hashFiles(outDir: string, files: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash.update(`${file}\n`).update(
      createHash('sha256')
        .update(await readFile(path.join(outDir, file)))
        .digest(),
    );
  return hash.digest('hex');
}

async function listFiles(outDir: string, folder: string): Promise<string[]> {
  const entries = await readdir(path.join(outDir, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(outDir, path.join(entry.parentPath, entry.name)));
}

/** Hashes the modules and static files of a worker. */
async function hashUpload(outDir: string, { name, assets }: Source): Promise<string> {
  const modules = (await listFiles(outDir, name)).filter((file) => /(?:worker\.js|\.wasm)$/.test(file));
  const files = assets?.directory === undefined ? [] : await listFiles(outDir, path.basename(assets.directory));
  return hashFiles(outDir, [...modules, ...files]);
}

/** The workers and migrations of the repository, as they are built. */
export interface Release {
  sources: Source[];
  /** The hash of the modules and static files of each worker, by its name. */
  uploads: Map<string, string>;
  migrations: { name: string; sql: string }[];
}

/** Reads the configurations of all workers that run on Cloudflare. */
export async function readSources(root: string): Promise<Source[]> {
  const sources = await Promise.all((await findConfigFiles(root)).map((file) => readWranglerConfiguration(file)));
  return addOperator(sources.filter(({ name }) => !runsOnlyOnMachine(name)));
}

export async function readMigrations(root: string): Promise<Release['migrations']> {
  const folder = path.join(root, 'migrations');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(names.map(async (name) => ({ name, sql: await readFile(path.join(folder, name), 'utf8') })));
}

export async function readRelease(root: string, outDir: string): Promise<Release> {
  const sources = await readSources(root);
  const hashes = await Promise.all(sources.map(async (each) => [each.name, await hashUpload(outDir, each)] as const));
  return { sources, uploads: new Map(hashes), migrations: await readMigrations(root) };
}

/** Orders workers so that each comes after those that it binds. */
function sortByBindings(workers: PlannedWorker[]): PlannedWorker[] {
  const sorted: PlannedWorker[] = [];
  const visit = (worker: PlannedWorker, path: string[]): void => {
    if (sorted.includes(worker)) return;
    if (path.includes(worker.name))
      throw new PlatformError(`The service bindings form a cycle: ${[...path, worker.name].join(', ')}.`);
    // The cells of a directory are deployed before it.
    for (const { service } of worker.role === DIRECTORY_WORKER ? [] : worker.configuration.services) {
      const bound = workers.find(({ name }) => name === service);
      if (bound === undefined)
        throw new PlatformError(`The worker ${worker.name} binds ${service}, which is not deployed.`);
      visit(bound, [...path, worker.name]);
    }
    sorted.push(worker);
  };
  for (const worker of workers) visit(worker, []);
  return sorted;
}

/** The settings that do not belong to a version: changing them uploads nothing. */
const triggerSettings = ['routes', 'triggers', 'observability', 'workers_dev', 'preview_urls'];

function getVersionSettings({ queues, ...configuration }: PlannedWorker['configuration']): unknown {
  const settings = Object.entries(configuration).filter(([name]) => !triggerSettings.includes(name));
  return { ...Object.fromEntries(settings), producers: queues.producers };
}

/** @throws PlatformError if a variable is still a placeholder or a local address */
function checkVars({ role, configuration }: PlannedWorker): void {
  for (const [name, value] of Object.entries(configuration.vars))
    if (placeholder.test(String(value)))
      throw new PlatformError(
        `The variable ${name} of the worker ${role} is still "${value}". Set its value for Cloudflare.`,
      );
}

/** Returns all workers, each after those that it binds. */
export function planWorkers({ sources, uploads }: Release, destination: Destination): PlannedWorker[] {
  const workers = chooseSources(sources, destination.settings).map((source): PlannedWorker => {
    const configuration = createConfiguration(source, destination);
    const { name: role } = source;
    const upload = uploads.get(role) ?? '';
    const secrets = listSecrets(source, destination.settings);
    return { role, name: configuration.name, configuration, upload, build: '', secrets };
  });
  for (const worker of workers) checkVars(worker);
  return sortByBindings(workers);
}

function hashWorker({ configuration, upload }: PlannedWorker): string {
  const settings = JSON.stringify(getVersionSettings(configuration));
  return createHash('sha256').update(settings).update(upload).digest('hex').slice(0, 12);
}

/** Sets the ID of the database, and then the builds of the workers, which depend on it. */
export function bindDatabase(workers: PlannedWorker[], database: string): void {
  for (const worker of workers) {
    const { role, configuration } = worker;
    for (const each of configuration.d1_databases) each.database_id = database;
    delete configuration.vars.OCTAVO_BUILD;
    const contributor = workers.find((each) => each.role === contributors[role]);
    worker.build = [hashWorker(worker), ...(contributor === undefined ? [] : [contributor.build])].join('.');
    configuration.vars.OCTAVO_BUILD = worker.build;
  }
}

/** Writes the configuration of a worker, and returns its file. */
export async function writeConfiguration(outDir: string, prefix: string, worker: PlannedWorker): Promise<string> {
  const folder = path.join(outDir, 'deploy', prefix);
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${worker.role}.json`);
  await writeFile(file, `${JSON.stringify(worker.configuration, null, 2)}\n`);
  return file;
}
