import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlatformError, readSecretFile, type SecretFile, writeSecretFile } from '@octavo/platform';
import type { LiveWorker } from './account.ts';
import { DIRECTORY_KEY, type PlannedWorker, SECRET, type SecretName } from './configurations.ts';
import type { Deployer, State, Step } from './deployer.ts';

/** The location of the value of a secret. */
interface SecretSource {
  file: string;
  field: keyof SecretFile;
  /** The value in the environment. */
  given: string | undefined;
}

const getSource = (deployer: Deployer, name: SecretName): SecretSource =>
  name === SECRET
    ? { file: deployer.secretFile, field: 'secret', given: deployer.secret }
    : { file: deployer.directoryKeyFile, field: 'directoryKey', given: deployer.directoryKey };

/**
 * Reads a secret from its file or the environment; undefined if it is in neither.
 * @throws PlatformError if the one in the environment is too short, or differs from the one in the file
 */
async function readSecret(deployer: Deployer, name: SecretName): Promise<string | undefined> {
  const { file, field, given } = getSource(deployer, name);
  const stored = (await readSecretFile(file))[field];
  if (given !== undefined && given.length < 16)
    throw new PlatformError(`The environment variable ${name} must have at least 16 random characters.`);
  if (given !== undefined && stored !== undefined && stored !== given)
    throw new PlatformError(
      `The environment variable ${name} and the file ${path.basename(file)} have different secrets. Remove the variable, or make both equal.`,
    );
  return given ?? stored;
}

/** Returns the names of the secrets that a worker needs and does not have yet. */
export const listMissingSecrets = ({ secrets }: PlannedWorker, live: LiveWorker | undefined): SecretName[] =>
  secrets.filter((name) => live?.secrets.includes(name) !== true);

/** Returns the steps that create a missing secret. @throws PlatformError if the secret must be copied or set by hand */
export async function planSecrets(state: State, changed: PlannedWorker[]): Promise<Step[]> {
  const steps: Step[] = [];
  for (const name of [SECRET, DIRECTORY_KEY] as const) steps.push(...(await planSecret(state, changed, name)));
  return steps;
}

async function planSecret(
  { deployer, live, workers }: State,
  changed: PlannedWorker[],
  name: SecretName,
): Promise<Step[]> {
  const { file, field } = getSource(deployer, name);
  const isKnown = (await readSecret(deployer, name)) !== undefined;
  const lacking = changed.filter((worker) => listMissingSecrets(worker, live.get(worker.name)).includes(name));
  if (lacking.length === 0 || isKnown) return [];
  const fileName = path.basename(file);
  const holding = workers
    .filter((worker) => live.get(worker.name)?.secrets.includes(name))
    .map((worker) => worker.name);
  if (holding.length > 0)
    throw new PlatformError(
      `${lacking[0]?.name} has no ${name}, but ${holding.join(', ')} has one, and all workers must have the same. Copy ${fileName} from the machine of the first deployment to this folder, or set the environment variable ${name} to the secret. If it is lost and the platform has no data yet, delete it from each of these workers (npx wrangler secret delete ${name} --name ${holding[0]}), and run this command again.`,
    );
  if (deployer.settings.cells !== '')
    throw new PlatformError(
      `The directory needs the key of its cells. Deploy the cells first, copy ${fileName} from the machine of their deployment to this folder, or set the environment variable ${name} to the key.`,
    );
  if (deployer.isCi)
    throw new PlatformError(
      `The workers have no ${name} yet, and a file with a new one would be lost with this CI job. Deploy once from your own machine, or set the environment variable ${name} to at least 16 random characters.`,
    );
  const run = async () => {
    await writeSecretFile(file, { ...(await readSecretFile(file)), [field]: randomBytes(32).toString('base64url') });
  };
  const title = name === SECRET ? 'create the secret of the workers' : 'create the key of the directory';
  return [{ title: `${title} in ${fileName}`, run }];
}

/**
 * Returns the arguments and environment variables with which wrangler sets the secrets that a worker does not have yet.
 * Wrangler replaces each variable in the file with its value in the environment, so no other file has the secrets.
 */
export async function prepareSecrets(
  { deployer, live }: State,
  worker: PlannedWorker,
): Promise<{ args: string[]; env: Record<string, string> }> {
  const missing = listMissingSecrets(worker, live.get(worker.name));
  if (missing.length === 0) return { args: [], env: {} };
  const values = await Promise.all(
    missing.map(async (name) => [name, (await readSecret(deployer, name)) ?? ''] as const),
  );
  const file = path.join(deployer.outDir, 'deploy', 'secrets.env');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, missing.map((name) => `${name}=\${${name}}\n`).join(''));
  return { args: ['--secrets-file', file], env: Object.fromEntries(values) };
}
