import { createHash } from 'node:crypto';
import { DIRECTORY_WORKER, listCells, PlatformError, readSecretFile, writeSecretFile } from '@octavo/platform';
import {
  hasObservability,
  hasTriggers,
  type LiveWorker,
  type Queue,
  readWorker,
  type SharedTriggers,
} from './account.ts';
import {
  addPrefix,
  bindDatabase,
  GATEWAY,
  type PlannedWorker,
  planWorkers,
  writeConfiguration,
} from './configurations.ts';
import type { Deployer, State, Step } from './deployer.ts';
import { createFirstToken, createFirstUser } from './first-user.ts';
import { checkHosts } from './host-names.ts';
import { checkConsumers, planBuckets, planQueues, removeFormerConsumers } from './queues-and-buckets.ts';
import { listMissingSecrets, planSecrets, prepareSecrets } from './secrets.ts';
import { testVersion } from './smoke-test.ts';

/** The beginning of the messages of deployments, which a rollback uses to find the last release. */
export const RELEASE = 'Octavo ';

/** The beginning of the messages of deployments that test a version of a release. */
export const TEST = 'Test of ';

/** Returns the message of all deployments of a release. It is a hash of the builds of all workers. */
function getRelease({ workers }: State): string {
  const builds = workers.map(({ build }) => build).join();
  return `${RELEASE}${createHash('sha256').update(builds).digest('hex').slice(0, 12)}`;
}

/**
 * Returns a step that changes the URL of the platform, if the URL differs. It requires an option, because a second
 * platform with the same prefix would otherwise replace the first one by mistake.
 */
function planUrl({ deployer: { settings, canChangeUrl }, live }: State, chosen: PlannedWorker[]): Step[] {
  const urls = chosen.flatMap(({ name }) => live.get(name)?.url ?? []);
  return [...new Set(urls.filter((url) => url !== settings.api))].map((url) => {
    const title = `change the URL of the platform from ${url} to ${settings.api}`;
    const run = async () => {
      if (!canChangeUrl)
        throw new PlatformError(
          `The settings would ${title}. If this is another platform, choose another prefix. Otherwise, run this command with --change-url.`,
        );
    };
    return { title, run };
  });
}

async function planDatabase(state: State): Promise<Step[]> {
  const { account, settings } = state.deployer;
  const path = `${account.path}/d1/database`;
  const name = addPrefix(settings.prefix, 'octavo');
  const setReplication = async () => {
    await account.api.send('PUT', `${path}/${state.database}`, { read_replication: { mode: 'auto' } });
  };
  const create = async () => {
    const created = await account.api.send<{ uuid: string }>('POST', path, {
      name,
      primary_location_hint: settings.region,
    });
    state.database = created.uuid;
    bindDatabase(state.workers, created.uuid);
    await setReplication();
  };
  if (state.database === undefined)
    return [{ title: `create the database ${name} in ${settings.region}, with read replicas`, run: create }];
  interface Details {
    read_replication?: { mode: string };
  }
  const { read_replication: replication } = await account.api.get<Details>(`${path}/${state.database}`);
  return replication?.mode === 'auto' ? [] : [{ title: `add read replicas to ${name}`, run: setReplication }];
}

const createMigrations = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);`;

/** The table of a directory. The worker creates it, not a migration. */
const directoryTable = 'entries';

/** @throws PlatformError if the database has tables of another application */
async function checkEmpty({ deployer: { account, settings }, database = '' }: State): Promise<void> {
  const own = `name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> '${settings.cells === '' ? 'd1_migrations' : directoryTable}'`;
  const sql = `SELECT name FROM sqlite_master WHERE type = 'table' AND ${own} LIMIT 1`;
  const [table] = await account.query<{ name: string }>(database, sql);
  if (table === undefined) return;
  throw new PlatformError(
    `The database ${addPrefix(settings.prefix, 'octavo')} is not one of Octavo: it has the table ${table.name}. Choose another prefix.`,
  );
}

/** @throws PlatformError if an import is running, because it has removed triggers that migrations may replace */
async function requireNoImport({ account }: Deployer, database: string): Promise<void> {
  const running = await account.queryIfExists(database, 'SELECT id FROM installation_imports');
  if (running.length === 0) return;
  throw new PlatformError(
    'An import is running, so the database cannot be migrated. Complete it, or end it with `octavo installation import --cancel --deployment deploy.json`. Then deploy again.',
  );
}

/** Migrations of a newer release stay: every release runs on the schema of the next one. */
async function planMigrations(state: State): Promise<Step[]> {
  const { account, release, settings } = state.deployer;
  const migrations = settings.cells === '' ? release.migrations : [];
  const rows =
    state.database === undefined
      ? []
      : await account.queryIfExists<{ name: string }>(state.database, 'SELECT name FROM d1_migrations');
  const applied = new Set(rows.map(({ name }) => name));
  if (state.database !== undefined && !applied.has(migrations[0]?.name ?? '')) await checkEmpty(state);
  const pending = migrations.filter(({ name }) => !applied.has(name));
  if (pending.length > 0 && applied.size > 0) await requireNoImport(state.deployer, state.database ?? '');
  return pending.map(({ name, sql }) => ({
    title: `apply the migration ${name}`,
    // The statements of one call run in one transaction.
    run: async () => {
      const record = `INSERT INTO d1_migrations (name) VALUES ('${name}');`;
      await account.query(state.database ?? '', `${createMigrations}\n${sql}\n${record}`);
    },
  }));
}

/** Runs a wrangler command with the configuration of a worker, which it writes to a file first. */
async function runWithConfiguration(
  { deployer }: State,
  worker: PlannedWorker,
  args: string[],
  env: Record<string, string> = {},
): Promise<void> {
  const { outDir, settings, runWrangler } = deployer;
  const file = await writeConfiguration(outDir, settings.prefix, worker);
  await runWrangler([...args, '-c', file], env);
}

/** Uploads a worker, with the secrets that the account does not have yet. */
async function upload(state: State, worker: PlannedWorker, command: string[]): Promise<void> {
  const { args, env } = await prepareSecrets(state, worker);
  await runWithConfiguration(state, worker, [...command, '--no-bundle', '--tag', worker.build, ...args], env);
}

interface Version {
  id: string;
  number: number;
  annotations?: Record<string, string>;
}

/** Returns the version that was uploaded last with the build of a worker. */
async function findUploaded({ account }: Deployer, { name, build }: PlannedWorker): Promise<string> {
  const { items } = await account.api.get<{ items: Version[] }>(`${account.getScriptPath(name)}/versions`);
  const uploaded = items.filter(({ annotations }) => annotations?.['workers/tag'] === build);
  const newest = uploaded.toSorted((a, b) => b.number - a.number)[0];
  if (newest === undefined) throw new PlatformError(`The account has no version ${build} of ${name} after its upload.`);
  return newest.id;
}

/** Uploads a version that serves no requests yet, tests it, and then sends all requests to it. */
async function replaceVersion(state: State, worker: PlannedWorker, { version: former }: LiveWorker): Promise<void> {
  const { deployer } = state;
  const { account } = deployer;
  const [release, test] = [getRelease(state), `${TEST}${getRelease(state)}`];
  await upload(state, worker, ['versions', 'upload']);
  const version = await findUploaded(deployer, worker);
  await account.deployVersions(worker.name, { [former]: 100, [version]: 0 }, test);
  try {
    await testVersion(deployer, worker, version);
  } catch (error) {
    await account.deployVersions(worker.name, { [former]: 100 }, test);
    throw error;
  }
  await account.deployVersions(worker.name, { [version]: 100 }, release);
}

const hasNewObjects = ({ configuration }: PlannedWorker, { migrationTag }: LiveWorker): boolean =>
  (configuration.migrations?.at(-1)?.tag ?? migrationTag) !== migrationTag;

const isCurrent = (worker: PlannedWorker, live: LiveWorker | undefined): boolean =>
  live?.build === worker.build &&
  listMissingSecrets(worker, live).length === 0 &&
  live.deployments[0]?.versions.length === 1;

function planWorker(state: State, worker: PlannedWorker): Step[] {
  const { account } = state.deployer;
  const { name } = worker;
  const live = state.live.get(name);
  // The first version of a worker, or one with new Durable Objects, cannot be uploaded without serving requests.
  if (live === undefined || hasNewObjects(worker, live)) {
    const run = async () => {
      await removeFormerConsumers(state, worker);
      await upload(state, worker, ['deploy', '--message', getRelease(state)]);
    };
    return [{ title: `deploy the worker ${name}`, run }];
  }
  const steps: Step[] = [];
  if (!isCurrent(worker, live))
    steps.push({ title: `deploy a new version of ${name}`, run: () => replaceVersion(state, worker, live) });
  if (!hasObservability(live, worker))
    steps.push({
      title: `set the logs of ${name}`,
      run: async () => {
        const { observability } = worker.configuration;
        await account.api.send('PATCH', `${account.getScriptPath(name)}/script-settings`, { observability });
      },
    });
  if (!hasTriggers(live, worker))
    steps.push({
      title: `set the crons, queues and routes of ${name}`,
      run: async () => {
        await removeFormerConsumers(state, worker);
        await runWithConfiguration(state, worker, ['triggers', 'deploy']);
      },
    });
  return steps;
}

/** A directory has no users. */
async function planFirstUser(state: State): Promise<Step[]> {
  const { account, settings, secretFile, isCi, print } = state.deployer;
  if (settings.cells !== '') return [];
  const users =
    state.database === undefined ? [] : await account.queryIfExists(state.database, 'SELECT 1 FROM users LIMIT 1');
  const { firstToken } = await readSecretFile(secretFile);
  if (users.length > 0 && firstToken === undefined) return [];
  if (isCi) {
    print('The token of the first user is never shown in a CI job. Run this command on your own machine to see it.');
    return [];
  }
  const run = async () => {
    const secrets = await readSecretFile(secretFile);
    const token = secrets.firstToken ?? createFirstToken();
    await writeSecretFile(secretFile, { ...secrets, firstToken: token });
    if (users.length === 0) await account.query(state.database ?? '', createFirstUser(settings.admin, token));
    print(`\nThe token of ${settings.admin}, which is not shown again:\n\n  ${token}\n`);
    const { firstToken: _, ...others } = secrets;
    await writeSecretFile(secretFile, others);
  };
  const title =
    users.length === 0 ? `create the first user ${settings.admin} and show the token` : 'show the first token';
  return [{ title, run }];
}

async function readShared({ account }: Deployer, zones: string[]): Promise<SharedTriggers> {
  const { api } = account;
  const [queues, domains, ...routes] = await Promise.all([
    api.list<Queue>(`${account.path}/queues`),
    api.list<SharedTriggers['domains'][number]>(`${account.path}/workers/domains`),
    ...zones.map((zone) => api.list<SharedTriggers['routes'][number]>(`/zones/${zone}/workers/routes`)),
  ]);
  return { queues, domains, routes: routes.flat() };
}

/** @throws PlatformError if a cell of the directory is not deployed yet */
async function checkCells({ deployer: { account, settings } }: State): Promise<void> {
  for (const { name, prefix } of listCells(settings)) {
    const gateway = addPrefix(prefix, GATEWAY);
    if ((await account.api.find(`${account.path}/workers/services/${gateway}`)) === undefined)
      throw new PlatformError(`The cell ${name} has no worker ${gateway}. Deploy the cell before the directory.`);
  }
}

/** A worker that is deployed alone needs the workers that it binds. */
function checkBound({ deployer: { only }, live, workers }: State, [chosen]: PlannedWorker[]): void {
  if (only === undefined || chosen?.role === DIRECTORY_WORKER) return;
  if (chosen === undefined)
    throw new PlatformError(
      `There is no worker "${only}". The workers are ${workers.map(({ role }) => role).join(', ')}.`,
    );
  const missing = chosen.configuration.services.find(({ service }) => !live.has(service));
  if (missing !== undefined)
    throw new PlatformError(`${chosen.name} needs ${missing.service}, which is not deployed yet.`);
}

/** Compares the account with the settings and the bundles, and returns the changes. It sends only reads. */
export async function planSteps(deployer: Deployer): Promise<Step[]> {
  const { account, settings, release, only } = deployer;
  const zone = await account.findZone(new URL(settings.sites.replace('{organization}.', '')).host);
  const apiZone = await account.findZone(new URL(settings.api).host);
  const workers = planWorkers(release, { settings, zone: zone.name });
  const shared = await readShared(deployer, [...new Set([zone.id, apiZone.id])]);
  for (const worker of workers) await checkHosts(account, worker, shared);
  const { uuid } = (await account.readDatabase(addPrefix(settings.prefix, 'octavo'))) ?? {};
  bindDatabase(workers, uuid ?? '');
  const read = await Promise.all(workers.map((worker) => readWorker(account, worker, shared)));
  const live = new Map(workers.flatMap(({ name }, index) => (read[index] === undefined ? [] : [[name, read[index]]])));
  const state: State = { deployer, database: uuid, workers, live, shared };
  const chosen = workers.filter(({ role }) => only === undefined || role === only);
  checkBound(state, chosen);
  await checkCells(state);
  checkConsumers(state);
  const changed = chosen.filter((worker) => !isCurrent(worker, live.get(worker.name)));
  return [
    ...planUrl(state, chosen),
    ...(await planDatabase(state)),
    ...planQueues(state),
    ...(await planBuckets(state)),
    ...(await planMigrations(state)),
    ...(await planSecrets(state, changed)),
    ...chosen.flatMap((worker) => planWorker(state, worker)),
    ...(await planFirstUser(state)),
  ];
}
