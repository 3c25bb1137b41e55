import { createHash } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { type ExportedFile, type ExportedTable, maxReadBytes } from '@octavo/schema';
import {
  checkExport,
  createExportFolder,
  exportedBuckets,
  getFileList,
  getStoredFile,
  getTableFile,
  type HashedFile,
  type HashedLines,
  LineWriter,
  writeManifest,
} from './exported-folder.ts';
import type { CallOperator } from './operator-client.ts';
import { PlatformError } from './platform-error.ts';

/** Limits for files that are read at the same time: the bytes that all calls return, and the number of files. */
const maxParallelBytes = 4 * maxReadBytes;
const maxParallelFiles = 32;

/** The rows and files that were copied. */
export interface CopiedInstallation {
  tables: number;
  rows: number;
  files: number;
  bytes: number;
}

/** Reads all rows of a table in the order of its keys, as lines of JSON. */
export async function* readTableLines(call: CallOperator, { name }: ExportedTable): AsyncGenerator<string[]> {
  for (let after: (string | number)[] | null = []; after !== null; ) {
    const { rows, next }: Awaited<ReturnType<typeof call<'/export/rows'>>> = await call('/export/rows', {
      table: name,
      after,
    });
    yield rows.map((row) => JSON.stringify(row));
    after = next;
  }
}

async function exportTable(call: CallOperator, folder: string, table: ExportedTable): Promise<HashedLines> {
  const writer = await LineWriter.create(getTableFile(folder, table.name));
  for await (const lines of readTableLines(call, table)) await writer.write(lines);
  return writer.end();
}

/** Copies a file. Returns undefined if it was deleted meanwhile. */
async function exportFile(call: CallOperator, folder: string, file: ExportedFile): Promise<HashedFile | undefined> {
  const { bucket, key, size, etag } = file;
  const target = getStoredFile(folder, file);
  await mkdir(path.dirname(target), { recursive: true });
  const handle = await open(target, 'wx', 0o600);
  const hash = createHash('sha256');
  try {
    for (let offset = 0; offset < size; offset += maxReadBytes) {
      const length = Math.min(maxReadBytes, size - offset);
      const { base64 } = await call('/export/part', { bucket, key, etag, offset, length });
      if (base64 === null) {
        await rm(target);
        return undefined;
      }
      const bytes = Buffer.from(base64, 'base64');
      if (bytes.length !== length) throw new PlatformError(`The file ${key} was changed during the export.`);
      hash.update(bytes);
      await handle.appendFile(bytes);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { ...file, sha256: hash.digest('hex') };
}

/** Divides files into groups that are read at the same time. */
function* groupFiles(files: ExportedFile[]): Generator<ExportedFile[]> {
  let [group, bytes]: [ExportedFile[], number] = [[], 0];
  for (const file of files) {
    const most = Math.min(file.size, maxReadBytes);
    if (group.length === maxParallelFiles || bytes + most > maxParallelBytes) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(file);
    bytes += most;
  }
  if (group.length > 0) yield group;
}

async function exportFiles(call: CallOperator, folder: string): Promise<HashedLines & { bytes: number }> {
  const writer = await LineWriter.create(getFileList(folder));
  let bytes = 0;
  for (const bucket of exportedBuckets)
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof call<'/export/files'>>> = await call('/export/files', { bucket, cursor });
      for (const group of groupFiles(page.files)) {
        const copied = await Promise.all(group.map((file) => exportFile(call, folder, file)));
        const files = copied.filter((file) => file !== undefined);
        bytes += files.reduce((sum, { size }) => sum + size, 0);
        await writer.write(files.map((file) => JSON.stringify(file)));
      }
      cursor = page.cursor;
    }
  return { ...(await writer.end()), bytes };
}

async function copyInstallation(call: CallOperator, folder: string): Promise<CopiedInstallation> {
  const { tables, migrations, sequences, secrets, stamp } = await call('/export/describe');
  const exported: (ExportedTable & HashedLines)[] = [];
  for (const table of tables) exported.push({ ...table, ...(await exportTable(call, folder, table)) });
  const { bytes, ...files } = await exportFiles(call, folder);
  if ((await call('/export/describe')).stamp !== stamp)
    throw new PlatformError(
      'The installation changed during the export, so the export is inconsistent. Export again with --pause, which refuses changes during the export.',
    );
  await checkExport(folder, { tables: exported, files });
  const [secret = ''] = secrets;
  await writeManifest(folder, {
    createdAt: new Date().toISOString(),
    ...{ migrations, sequences, secret, tables: exported, files },
  });
  const rows = exported.reduce((sum, { lines }) => sum + lines, 0);
  return { tables: exported.length, rows, files: files.lines, bytes };
}

/** Whether an installation refuses changes: never, during its export, or also after the export is complete. */
export type Pause = 'none' | 'during' | 'kept';

const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Accepts changes again. If this fails, the error also contains that of the export. */
async function resume(call: CallOperator, exportError?: unknown): Promise<void> {
  await call('/export/resume').catch((error: unknown) => {
    const outcome = exportError === undefined ? 'The export is complete.' : getMessage(exportError);
    throw new PlatformError(
      `${outcome}\nThe installation is still paused, because it could not be resumed: ${getMessage(error)}\nResume it with octavo installation resume.`,
    );
  });
}

/** Copies all rows and files of an installation to a new folder. */
export async function exportInstallation(
  call: CallOperator,
  folder: string,
  { pause }: { pause: Pause },
): Promise<CopiedInstallation> {
  await createExportFolder(folder);
  if (pause === 'none') return copyInstallation(call, folder);
  await call('/export/pause');
  const copied = await copyInstallation(call, folder).catch(async (error: unknown) => {
    await resume(call, error);
    throw error;
  });
  if (pause === 'during') await resume(call);
  return copied;
}
