import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getErrorCode, PlatformError } from './platform-error.ts';

const SOCKET_PATH_LIMIT_BYTES = 100;

export const getLogFile = (dataDir: string) => path.join(dataDir, 'octavo.log');
export const getOutputPipe = (dataDir: string) => path.join(dataDir, 'workerd.output');
export const getRuntimeConfigFile = (dataDir: string) => path.join(dataDir, 'workerd.config');
export const getScriptConfigFile = (dataDir: string) => path.join(dataDir, 'scripts.config');
export const getRenderConfigFile = (dataDir: string) => path.join(dataDir, 'render.config');
export const getLockFile = (dataDir: string) => path.join(dataDir, 'octavo.pid');
export const getRuntimePidFile = (dataDir: string, pid: number) => path.join(dataDir, `workerd.${pid}.pid`);
export const getCronRecordFile = (dataDir: string) => path.join(dataDir, 'crons.json');
export const getSecretFile = (dataDir: string) => path.join(dataDir, 'secret');
/** The previous secret, if it still exists. */
export const getPreviousSecretFile = (dataDir: string) => path.join(dataDir, 'secret.previous');
export const getMailFolder = (dataDir: string) => path.join(dataDir, 'mail');
export const getDevFile = (dataDir: string) => path.join(dataDir, 'dev.json');
export const getStateFolder = (dataDir: string) => path.join(dataDir, 'state');

/** The operator's socket, which only the owner of the folder can open. */
export const getOperatorSocket = (dataDir: string): string => getSocketPath(dataDir, 'operator.sock');

/** The socket on which the runtime receives the operator's calls from the process that started it. */
export const getRuntimeSocket = (dataDir: string): string => getSocketPath(dataDir, 'runtime.sock');

/** The socket on which the runtime sends mails to the process that started it. */
export const getMailSocket = (dataDir: string): string => getSocketPath(dataDir, 'mail.sock');

/**
 * The first socket is the one on which the runtime calls the render worker, through the process that started the
 * runtime. The second socket belongs to the process of the render worker.
 */
export const getRenderSocket = (dataDir: string): string => getSocketPath(dataDir, 'render.sock');
export const getRenderProcessSocket = (dataDir: string): string => getSocketPath(dataDir, 'renders.sock');

/**
 * The socket on which the runtime requests script runs from the process that started it, and the sockets of the script
 * processes.
 */
export const getScriptsSocket = (dataDir: string): string => getSocketPath(dataDir, 'scripts.sock');
export const getScriptSocket = (dataDir: string, number: number): string =>
  getSocketPath(dataDir, `script.${number.toString(36)}.sock`);

/** Returns the shorter of the absolute and the relative path, because the system limits the length of socket paths. */
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

/** Writes a file atomically: a reader sees the old contents or the new ones. */
export async function writeAtomically(file: string, contents: string | Uint8Array, mode = 0o644): Promise<void> {
  const draft = `${file}.${process.pid}.${randomUUID()}.tmp`;
  await writeFile(draft, contents, { mode });
  await chmod(draft, mode);
  await rename(draft, file);
}

/**
 * Returns the secret of an installation, which is created at the first start. Workers sign URLs and encrypt values with
 * it.
 */
export async function readSecret(dataDir: string): Promise<string> {
  const file = getSecretFile(dataDir);
  const existing = await readIfExists(file);
  if (existing !== undefined) return existing;
  const secret = randomBytes(32).toString('base64url');
  await writeAtomically(file, `${secret}\n`, 0o600);
  return secret;
}

/** Returns the previous secret, which operators keep until all values are encrypted with the new secret. */
export const readPreviousSecret = (dataDir: string): Promise<string | undefined> =>
  readIfExists(getPreviousSecretFile(dataDir));

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
