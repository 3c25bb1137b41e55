import { copyFile, mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepDamagedLogs } from './damaged-logs.ts';

let dataDir: string;
let file: string;

/** Creates a database with a change that is only in its log, as after a kill. */
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'octavo-logs-'));
  file = path.join(dataDir, 'state', 'd1', 'content.sqlite');
  await mkdir(path.dirname(file), { recursive: true });
  const live = path.join(dataDir, 'live.db');
  const database = new DatabaseSync(live);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE pages (title); PRAGMA wal_checkpoint(TRUNCATE)');
  database.exec("INSERT INTO pages VALUES ('Start')");
  await copyFile(live, file);
  await copyFile(`${live}-wal`, `${file}-wal`);
  database.close();
});

afterEach(() => rm(dataDir, { recursive: true }));

async function overwriteLog(offset: number, bytes: number): Promise<void> {
  const log = await open(`${file}-wal`, 'r+');
  await log.write(Buffer.alloc(bytes, 0x5a), 0, bytes, offset);
  await log.close();
}

const countPages = () => {
  const database = new DatabaseSync(file);
  const row = database.prepare('SELECT count(*) AS pages FROM pages').get();
  database.close();
  return row?.pages;
};

test('leaves an intact WAL file to SQLite', async () => {
  expect(await keepDamagedLogs(dataDir)).toEqual([]);
  expect(countPages()).toBe(1);
});

test.each([
  ['the magic number', 0, 4],
  ['the salt', 16, 8],
  ['the checksum', 28, 4],
  ['the whole header', 0, 32],
])('warns about a WAL file without %s, and keeps it under another name', async (_, offset, bytes) => {
  const { size } = await stat(`${file}-wal`);
  await overwriteLog(offset, bytes);

  const [warning, ...others] = await keepDamagedLogs(dataDir);

  const damagedLog = (await readdir(path.dirname(file))).find((name) => name.includes('-wal.damaged-')) ?? '';
  expect(warning).toContain(`The log of the database ${file} is damaged`);
  expect(warning).toContain(damagedLog);
  expect(others).toEqual([]);
  expect((await stat(path.join(path.dirname(file), damagedLog))).size).toBe(size);
  expect(countPages()).toBe(0);
  expect(await keepDamagedLogs(dataDir)).toEqual([]);
});

test('ignores a WAL file without changes', async () => {
  await (await open(`${file}-wal`, 'w')).close();

  expect(await keepDamagedLogs(dataDir)).toEqual([]);
});
