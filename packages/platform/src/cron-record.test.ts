import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openCronRecord } from './crons.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'octavo-crons-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a run that cannot be recorded, for example because the disk is full, does not prevent later records', async () => {
  const dataDir = path.join(folder, 'data');
  const record = await openCronRecord(dataDir);
  const [first, second] = [new Date(1000), new Date(2000)];
  await expect(record.recordRun('nightly', first)).rejects.toThrow('ENOENT');
  mkdirSync(dataDir);
  await record.recordRun('nightly', second);

  expect((await openCronRecord(dataDir)).getLastRun('nightly')).toEqual(second);
});
