import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeAtomically } from './data-folder.ts';

/**
 * Secrets that Cloudflare does not return. They are stored before their first use, so that another run can continue
 * after a run was killed.
 */
export interface SecretFile {
  /** The value of OCTAVO_SECRET. */
  secret?: string;
  /** The value of OCTAVO_DIRECTORY_KEY. */
  directoryKey?: string;
  /** The token of the first user, until it has been printed. */
  firstToken?: string;
}

/** Returns the file with the secrets, which is beside the file with the settings. */
export const getSecretFile = (settingsFile: string, prefix: string): string =>
  path.join(path.dirname(settingsFile), `deploy.${prefix}.secret.json`);

/** Returns the file with the key of a directory, which all cells with these settings share. */
export const getDirectoryKeyFile = (settingsFile: string): string =>
  path.join(path.dirname(settingsFile), 'deploy.directory-key.json');

export async function readSecretFile(file: string): Promise<SecretFile> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as SecretFile;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

/** Only the owner of the file can read it. */
export const writeSecretFile = (file: string, secrets: SecretFile): Promise<void> =>
  writeAtomically(file, `${JSON.stringify(secrets, null, 2)}\n`, 0o600);
