import { randomUUID } from 'node:crypto';
import { chmod, rename, writeFile } from 'node:fs/promises';

/** Writes a file so that a reader sees the old one or the new one, never half of it. */
export async function writeWhole(file: string, contents: string | Uint8Array, mode = 0o644): Promise<void> {
  const draft = `${file}.${process.pid}.${randomUUID()}.tmp`;
  await writeFile(draft, contents, { mode });
  await chmod(draft, mode);
  await rename(draft, file);
}
