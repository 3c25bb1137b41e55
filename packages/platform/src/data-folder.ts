import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getErrorCode, PlatformError } from './platform-error.ts';

const SOCKET_PATH_LIMIT_BYTES = 100;

export const getLogFile = (dataDir: string) => path.join(dataDir, 'octavo.log');
export const getOutputPipe = (dataDir: string) => path.join(dataDir, 'workerd.output');
export const getRuntimeConfigFile = (dataDir: string) => path.join(dataDir, 'workerd.config');
export const getScriptConfigFile = (dataDir: string) => path.join(dataDir, 'scripts.config');
export const getLockFile = (dataDir: string) => path.join(dataDir, 'octavo.pid');
export const getRuntimePidFile = (dataDir: string, pid: number) => path.join(dataDir, `workerd.${pid}.pid`);
export const getCronRecordFile = (dataDir: string) => path.join(dataDir, 'crons.json');
export const getSecretFile = (dataDir: string) => path.join(dataDir, 'secret');
/** The secret before it, as long as it is there. */
export const getPreviousSecretFile = (dataDir: string) => path.join(dataDir, 'secret.previous');
export const getMailFolder = (dataDir: string) => path.join(dataDir, 'mail');
export const getDevFile = (dataDir: string) => path.join(dataDir, 'dev.json');
export const getStateFolder = (dataDir: string) => path.join(dataDir, 'state');

/** The operator's socket, which only the owner of the folder may open. */
export const getOperatorSocket = (dataDir: string): string => getSocketPath(dataDir, 'operator.sock');

/** Where the runtime itself takes the operator's calls from the process that started it. */
export const getRuntimeSocket = (dataDir: string): string => getSocketPath(dataDir, 'runtime.sock');

/** Where the runtime asks the process that started it to run scripts, and where that reaches each process for them. */
export const getScriptsSocket = (dataDir: string): string => getSocketPath(dataDir, 'scripts.sock');
export const getScriptSocket = (dataDir: string, number: number): string =>
  getSocketPath(dataDir, `script.${number.toString(36)}.sock`);

/** The system bounds the length of a socket's path, so the shorter of the two spellings. */
function getSocketPath(dataDir: string, name: string): string {
  const absolute = path.resolve(dataDir, name);
  const relative = path.relative(process.cwd(), absolute);
  const shorter = relative.length < absolute.length ? relative : absolute;
  if (Buffer.byteLength(shorter) <= SOCKET_PATH_LIMIT_BYTES) return shorter;
  throw new PlatformError(`The path of the data folder ${dataDir} is too long for a socket. Choose a shorter path.`);
}

export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await chmod(dataDir, 0o700);
  } catch (error) {
    throw new PlatformError(`The data folder ${dataDir} could not be created (${getErrorCode(error) ?? error}).`);
  }
}

/** Writes a file so that a reader sees the old one or the new one, never half of it. */
export async function writeAtomically(file: string, contents: string | Uint8Array, mode = 0o644): Promise<void> {
  const draft = `${file}.${process.pid}.${randomUUID()}.tmp`;
  await writeFile(draft, contents, { mode });
  await chmod(draft, mode);
  await rename(draft, file);
}

/** The secret of an installation, made at its first start: what the workers sign addresses with, and seal values by. */
export async function readSecret(dataDir: string): Promise<string> {
  const file = getSecretFile(dataDir);
  const existing = await readIfThere(file);
  if (existing !== undefined) return existing;
  const secret = randomBytes(32).toString('base64url');
  await writeAtomically(file, `${secret}\n`, 0o600);
  return secret;
}

/** The secret before it, which an operator left beside it until what it sealed is sealed anew. */
export const readPreviousSecret = (dataDir: string): Promise<string | undefined> =>
  readIfThere(getPreviousSecretFile(dataDir));

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
