import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { secretFile } from './data-folder.ts';
import { errorCode } from './platform-error.ts';
import { writeWhole } from './write-whole.ts';

/** The secret of an installation, made at its first start: what the workers sign addresses with. */
export async function readSecret(dataDir: string): Promise<string> {
  const file = secretFile(dataDir);
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  const secret = randomBytes(32).toString('base64url');
  await writeWhole(file, `${secret}\n`, 0o600);
  return secret;
}
