import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type ExportedCell, type ExportedTable, type ExportStart, maxReadBytes } from '@octavo/schema';
import { type CopiedInstallation, readTableLines } from './export-installation.ts';
import {
  checkExport,
  getFileList,
  getStoredFile,
  getTableFile,
  type HashedFile,
  type HashedLines,
  type InstallationManifest,
  readInstallationManifest,
  readLines,
} from './exported-folder.ts';
import type { CallOperator } from './operator-client.ts';
import { PlatformError } from './platform-error.ts';

const maxRowsPerCall = 2000;
const maxLengthPerCall = 1_000_000;
/** The size of each part of a large file except the last. It is the smallest size that R2 allows. */
const partBytes = 5 * 2 ** 20;

/** Checks the installation. @throws PlatformError if the exported installation cannot be imported into this one */
function checkTarget(manifest: InstallationManifest, target: ExportStart, allowsOtherSecret: boolean): void {
  const differing =
    manifest.migrations.find((name) => !target.migrations.includes(name)) ??
    target.migrations.find((name) => !manifest.migrations.includes(name));
  if (differing !== undefined)
    throw new PlatformError(
      `The export and the installation have different versions: only one of them has the migration ${differing}. Use the same version for both.`,
    );
  const describe = ({ name, columns }: ExportedTable) => `${name} (${columns.join(', ')})`;
  const [exported, present] = [manifest.tables.map(describe), target.tables.map(describe)];
  const [unknown] = exported.filter((table) => !present.includes(table));
  if (unknown !== undefined) throw new PlatformError(`The installation has no table ${unknown}. Nothing was imported.`);
  const [missing] = present.filter((table) => !exported.includes(table));
  if (missing !== undefined) throw new PlatformError(`The export has no table ${missing}. Nothing was imported.`);
  if (!allowsOtherSecret && !target.secrets.includes(manifest.secret))
    throw new PlatformError(
      'The secret of this installation differs from that of the exported one, so it could not decrypt the secrets of webhooks and integrations. Set the same secret, or pass --other-secret and set the secrets of webhooks and integrations again.',
    );
}

async function insertRows(
  call: CallOperator,
  folder: string,
  { name }: ExportedTable,
  includes: (row: ExportedCell[]) => boolean = () => true,
): Promise<void> {
  let rows: ExportedCell[][] = [];
  let length = 0;
  const flush = async () => {
    if (rows.length > 0) await call('/import/rows', { table: name, rows });
    [rows, length] = [[], 0];
  };
  for await (const line of readLines(getTableFile(folder, name))) {
    const row = JSON.parse(line) as ExportedCell[];
    if (!includes(row)) continue;
    if (rows.length === maxRowsPerCall || length + line.length > maxLengthPerCall) await flush();
    rows.push(row);
    length += line.length;
  }
  await flush();
}

/** Inserts the rows of a table. Rows that refer to other rows of the table are inserted after those. */
async function insertTable(call: CallOperator, folder: string, table: ExportedTable): Promise<void> {
  const { columns, parent } = table;
  if (parent === undefined) return insertRows(call, folder, table);
  const index = columns.indexOf(parent);
  await insertRows(call, folder, table, (row) => row[index] === null);
  await insertRows(call, folder, table, (row) => row[index] !== null);
}

/** Reads an imported table, and compares it with the exported one. @throws PlatformError if they differ */
async function verifyTable(call: CallOperator, table: ExportedTable & HashedLines): Promise<void> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const lines of readTableLines(call, table)) {
    for (const line of lines) hash.update(`${line}\n`);
    count += lines.length;
  }
  if (hash.digest('hex') !== table.sha256)
    throw new PlatformError(
      `The table ${table.name} differs from the export: it has ${count} rows, and the export ${table.lines}. Import again.`,
    );
}

async function importLargeFile(call: CallOperator, source: string, file: HashedFile): Promise<void> {
  const { bucket, key, size, sha256 } = file;
  const { upload } = await call('/import/file/begin', file);
  const parts: unknown[] = [];
  for (let start = 0; start < size; start += partBytes) {
    const chunks = await createReadStream(source, { start, end: start + partBytes - 1 }).toArray();
    const base64 = Buffer.concat(chunks as Buffer[]).toString('base64');
    const { part } = await call('/import/file/part', { bucket, key, upload, number: parts.length + 1, base64 });
    parts.push(part);
  }
  await call('/import/file/end', { bucket, key, upload, parts, sha256 });
}

/** Stores a file. The bucket compares a small file with its hash. For a large file, the worker does that. */
async function importFile(call: CallOperator, folder: string, file: HashedFile): Promise<void> {
  const source = getStoredFile(folder, file);
  if (file.size > maxReadBytes) await importLargeFile(call, source, file);
  else await call('/import/file', { ...file, base64: await readFile(source, 'base64') });
}

/**
 * Begins an import. If one is already running, deletes the rows that it has imported and begins again. Returns a
 * function that sends the id of the import with each call.
 */
async function beginEmpty(call: CallOperator, body: object): Promise<CallOperator> {
  const { tables, run: id } = await call('/import/begin', body);
  const send: CallOperator = (path, body = {}) => call(path, { ...(body as object), run: id });
  for (const { name } of tables.toReversed()) while ((await send('/import/clear', { table: name })).hasMore) {}
  return send;
}

/** Ends an abandoned import: the installation is empty again. Imported files are kept until they are imported again. */
export async function cancelImport(call: CallOperator): Promise<void> {
  const send = await beginEmpty(call, { onlyAgain: true });
  await send('/import/finish');
}

/**
 * Fills a new installation with an exported one. If it is interrupted, run it again. It then starts from the beginning.
 */
export async function importInstallation(
  call: CallOperator,
  folder: string,
  { allowsOtherSecret }: { allowsOtherSecret: boolean },
): Promise<CopiedInstallation> {
  const manifest = await readInstallationManifest(folder);
  const target = await call('/export/describe');
  checkTarget(manifest, target, allowsOtherSecret);
  await checkExport(folder, manifest);
  const send = await beginEmpty(call, {});
  let [files, bytes, rows] = [0, 0, 0];
  for await (const line of readLines(getFileList(folder))) {
    const file = JSON.parse(line) as HashedFile;
    await importFile(send, folder, file);
    files += 1;
    bytes += file.size;
  }
  for (const table of manifest.tables) {
    // An export of an earlier version does not contain the column that refers to other rows.
    const parent = target.tables.find(({ name }) => name === table.name)?.parent;
    await insertTable(send, folder, { ...table, ...(parent !== undefined && { parent }) });
    await verifyTable(send, table);
    rows += table.lines;
  }
  for (const sequence of manifest.sequences) await send('/import/sequence', sequence);
  await send('/import/finish');
  return { tables: manifest.tables.length, rows, files, bytes };
}
