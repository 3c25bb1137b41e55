import { type DeploySettings, DIRECTORY_WORKER, PlatformError } from '@octavo/platform';
import { cellHeader, contracts, directoryPath, type Endpoint, operatorPath, smokeTestName } from '@octavo/schema';
import { getReason } from './cloudflare.ts';
import type { PlannedWorker } from './configurations.ts';

export interface Visits {
  /** The URL of the API. */
  api: string;
  settings: Pick<DeploySettings, 'cell'>;
  fetch: typeof fetch;
  /** Waits until a change has reached all locations of Cloudflare, or until a certificate exists. */
  pause: () => Promise<void>;
  print: (line: string) => void;
}

/** Returns the reason for which a response is wrong; undefined if it is right. */
type Check = (response: Response) => Promise<string | undefined>;

const unreachable = 'could not be reached';
const formerVersionProblem = 'returned a response of the former version';

async function visit({ api, settings, fetch }: Visits, path: string, headers: Record<string, string>, check: Check) {
  const cell = settings.cell === '' ? {} : { [cellHeader]: settings.cell };
  try {
    const problem = await check(await fetch(`${api}${path}`, { headers: { ...headers, ...cell } }));
    return problem === undefined ? undefined : `${api}${path} ${problem}`;
  } catch (error) {
    return `${api}${path} ${unreachable}: ${getReason(error)}`;
  }
}

interface Visit {
  path: string;
  headers: Record<string, string>;
  check: Check;
  attempts: number;
}

/** Repeats a request until its response is right. Returns the last problem. */
async function visitUntilExpected(visits: Visits, { path, headers, check, attempts }: Visit) {
  for (let attempt = 1; ; attempt += 1) {
    const problem = await visit(visits, path, headers, check);
    if (problem === undefined || attempt === attempts) return problem;
    await visits.pause();
  }
}

/**
 * Returns a path that the worker serves but that names no existing object; undefined for a worker without public paths.
 * A request to the path without a token returns a status below 500.
 */
function getTestPath({ role }: PlannedWorker): string | undefined {
  if (role === 'operator') return `${operatorPath}/${smokeTestName}`;
  if (role === DIRECTORY_WORKER) return `${directoryPath}/${smokeTestName}`;
  const endpoints = (contracts as Record<string, Record<string, Endpoint>>)[role];
  if (endpoints === undefined) return undefined;
  const paths = Object.values(endpoints).flatMap(({ method, path }) => (method === 'GET' ? [path] : []));
  const path = paths.find((each) => each.includes(':')) ?? paths[0] ?? '/health';
  return path.replace(/:\w+/g, smokeTestName);
}

/** Returns the build that sent a response. */
async function readBuild(response: Response): Promise<string | null | undefined> {
  const { build } = (await response.json().catch(() => ({}))) as { build?: string };
  return response.headers.get('octavo-build') ?? build;
}

/**
 * Sends requests to a version that is deployed, but receives no other requests yet. A worker that only other workers
 * call is not tested.
 * @throws PlatformError if it fails
 */
export async function testVersion(visits: Visits, worker: PlannedWorker, version: string): Promise<void> {
  const path = getTestPath(worker);
  if (path === undefined) return;
  // Requests to the gateway of a cell pass through the directory, so this gateway is not an entry worker.
  const isEntryWorker = worker.role === DIRECTORY_WORKER || (worker.role === 'gateway' && visits.settings.cell === '');
  const problem = await visitUntilExpected(visits, {
    path,
    headers: { 'cloudflare-workers-version-overrides': `${worker.name}="${version}"` },
    check: async (response) => {
      if (response.status >= 500) return `returned ${response.status}`;
      return (await readBuild(response)) === worker.build ? undefined : formerVersionProblem;
    },
    // A deployment needs a few seconds to reach all locations.
    attempts: isEntryWorker ? 30 : 5,
  });
  if (problem === undefined) return;
  // The header may not reach a worker behind the gateway. The address of an incomplete platform does not exist yet.
  if (problem.includes(unreachable) || (!isEntryWorker && problem.endsWith(formerVersionProblem)))
    visits.print(`  ${worker.name} could not be tested before it serves requests: ${problem}.`);
  else throw new PlatformError(`The new version of ${worker.name} failed its test: ${problem}.`);
}

/** Waits until the platform is healthy. A new host name can need minutes for its certificate. */
export async function testHealth(visits: Visits): Promise<void> {
  const check: Check = async ({ status }) => (status === 200 ? undefined : `returned ${status}`);
  const problem = await visitUntilExpected(visits, { path: '/health', headers: {}, check, attempts: 30 });
  if (problem !== undefined)
    throw new PlatformError(
      `${problem}. A new host name can need up to 15 minutes until its certificate is ready. Then check again with: npm run deploy`,
    );
}
