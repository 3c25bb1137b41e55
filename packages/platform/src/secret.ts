import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { previousSecretFile, secretFile } from './data-folder.ts';
import { errorCode } from './platform-error.ts';
import { writeWhole } from './write-whole.ts';

/** The secret of an installation, made at its first start: what the workers sign addresses with, and seal values by. */
export async function readSecret(dataDir: string): Promise<string> {
  const file = secretFile(dataDir);
  const known = await readIfThere(file);
  if (known !== undefined) return known;
  const secret = randomBytes(32).toString('base64url');
  await writeWhole(file, `${secret}\n`, 0o600);
  return secret;
}

/** The secret before it, which an operator left beside it until what it sealed is sealed anew. */
export const readPreviousSecret = (dataDir: string): Promise<string | undefined> =>
  readIfThere(previousSecretFile(dataDir));

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
