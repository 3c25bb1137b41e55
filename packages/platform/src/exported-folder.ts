import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ExportedFile, ExportedTable, ExportStart } from '@octavo/schema';
import { getErrorCode, PlatformError } from './platform-error.ts';

const format = 1;

/** The table of contents of an exported installation. It is written last, so a folder without it is incomplete. */
export interface InstallationManifest extends Pick<ExportStart, 'migrations' | 'sequences'> {
  format: typeof format;
  createdAt: string;
  /** The prefix of values that were encrypted with the secret of the installation. */
  secret: string;
  tables: (ExportedTable & HashedLines)[];
  files: HashedLines;
}

/** The number of lines of a file, and the SHA-256 of the file. */
export interface HashedLines {
  lines: number;
  sha256: string;
}

export type HashedFile = ExportedFile & { sha256: string };

const manifestName = 'installation.json';

/** The bindings of the buckets that an export contains. */
export const exportedBuckets = ['FILES', 'RENDERED'];

/** @throws PlatformError if the name is not the name of a table */
export function getTableFile(folder: string, table: string): string {
  if (!/^\w+$/.test(table)) throw new PlatformError(`"${table}" is not the name of a table.`);
  return path.join(folder, 'tables', `${table}.jsonl`);
}

export const getFileList = (folder: string): string => path.join(folder, 'files.jsonl');

/** Returns the path of a stored file: the SHA-256 of its key. @throws PlatformError for an unknown bucket */
export function getStoredFile(folder: string, { bucket, key }: Pick<ExportedFile, 'bucket' | 'key'>): string {
  if (!exportedBuckets.includes(bucket)) throw new PlatformError(`There is no bucket "${bucket}".`);
  return path.join(folder, 'files', bucket, createHash('sha256').update(key).digest('hex'));
}

/** Creates the folder of an export. @throws PlatformError if the folder is not empty */
export async function createExportFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new PlatformError(`${folder} is not empty. Choose another folder.`);
  await chmod(folder, 0o700);
  await mkdir(path.join(folder, 'tables'));
}

/** Writes lines to a file, and hashes them. */
export class LineWriter {
  readonly #file: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #lines = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(file: string): Promise<LineWriter> {
    await mkdir(path.dirname(file), { recursive: true });
    return new LineWriter(await open(file, 'wx', 0o600));
  }

  async write(lines: string[]): Promise<void> {
    const text = lines.map((line) => `${line}\n`).join('');
    this.#hash.update(text);
    this.#lines += lines.length;
    await this.#file.appendFile(text);
  }

  async end(): Promise<HashedLines> {
    await this.#file.sync();
    await this.#file.close();
    return { lines: this.#lines, sha256: this.#hash.digest('hex') };
  }
}

/** Reads the lines of a file. Unlike `readline`, it splits them only at line feeds. */
export async function* readLines(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return '';
    throw error;
  }
  return hash.digest('hex');
}

export async function writeManifest(folder: string, manifest: Omit<InstallationManifest, 'format'>): Promise<void> {
  const file = await open(path.join(folder, manifestName), 'wx', 0o600);
  await file.writeFile(`${JSON.stringify({ format, ...manifest }, null, 2)}\n`);
  await file.sync();
  await file.close();
}

/** @throws PlatformError if the folder has no complete export */
export async function readInstallationManifest(folder: string): Promise<InstallationManifest> {
  const text = await readFile(path.join(folder, manifestName), 'utf8').catch(() => {
    throw new PlatformError(`${folder} has no ${manifestName}. The export is missing or incomplete.`);
  });
  const manifest = JSON.parse(text) as InstallationManifest;
  if (manifest.format === format) return manifest;
  throw new PlatformError(`${folder} was exported by another version of Octavo.`);
}

/** Compares all files of an export with their hashes. @throws PlatformError if one is damaged */
export async function checkExport(
  folder: string,
  { tables, files }: Pick<InstallationManifest, 'tables' | 'files'>,
): Promise<void> {
  const check = async (file: string, sha256: string) => {
    if ((await hashFile(file)) !== sha256) throw new PlatformError(`The export is damaged: ${file} has changed.`);
  };
  for (const { name, sha256 } of tables) await check(getTableFile(folder, name), sha256);
  await check(getFileList(folder), files.sha256);
  for await (const line of readLines(getFileList(folder))) {
    const file = JSON.parse(line) as HashedFile;
    await check(getStoredFile(folder, file), file.sha256);
  }
}
