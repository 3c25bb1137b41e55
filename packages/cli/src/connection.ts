import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { ApiConnection } from './api.ts';
import { Failure } from './failure.ts';
import type { Terminal } from './terminal.ts';

type Environment = Terminal['env'];

const getConfigFile = (env: Environment): string =>
  env.OCTAVO_CONFIG || path.join(homedir(), '.config', 'octavo', 'config.json');

/** Returns the data folder of an installation. */
export const getDataFolder = (env: Environment): string => path.resolve(env.OCTAVO_DATA || '.octavo');

/**
 * Returns the connection from OCTAVO_URL and OCTAVO_TOKEN. If these are not set, returns the connection of the server
 * that was started here (dev.json), or else the stored login.
 * @throws Failure
 */
export async function findConnection(env: Environment): Promise<ApiConnection> {
  if (env.OCTAVO_URL && env.OCTAVO_TOKEN) return { url: env.OCTAVO_URL, token: env.OCTAVO_TOKEN };
  if (env.OCTAVO_URL || env.OCTAVO_TOKEN) {
    throw new Failure('OCTAVO_URL and OCTAVO_TOKEN must be set together.');
  }
  const connection =
    (await readConnection(path.join(getDataFolder(env), 'dev.json'))) ?? (await readConnection(getConfigFile(env)));
  if (connection) return connection;
  throw new Failure(
    'You are not logged in. Run `octavo login --url <url> --token <token>`, or set OCTAVO_URL and OCTAVO_TOKEN. ' +
      'If a server on this machine was started with OCTAVO_DATA, set it here too.',
  );
}

/** Stores the login in a file that only its owner can read. Returns the path of the file. */
export async function storeConnection(connection: ApiConnection, env: Environment): Promise<string> {
  const file = getConfigFile(env);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify(connection, null, 2)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return file;
}

async function readConnection(file: string): Promise<ApiConnection | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { url, token } = JSON.parse(text);
    if (typeof url === 'string' && typeof token === 'string') return { url, token };
  } catch {}
  throw new Failure(`The file ${file} must contain a url and a token. Log in again.`);
}
