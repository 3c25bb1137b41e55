import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { maxReadBytes } from '@octavo/schema';
import { expect, onTestFinished, test } from 'vitest';
import { exportInstallation } from './export-installation.ts';
import type { CallOperator } from './operator-client.ts';

/** An installation with files of these sizes, which records how much is read at the same time. */
function createInstallation(sizes: number[]) {
  const most = { files: 0, bytes: 0 };
  let [files, bytes] = [0, 0];
  const listed = sizes.map((size, index) => ({ bucket: 'FILES', key: `file${index}`, etag: 'a', size }));
  const responders: Record<string, (body: Record<string, unknown>) => unknown> = {
    '/export/describe': () => ({ tables: [], migrations: [], sequences: [], secrets: [''], stamp: '' }),
    '/export/files': ({ bucket }) => ({ files: bucket === 'FILES' ? listed : [], cursor: null }),
    '/export/part': async ({ length }) => {
      [files, bytes] = [files + 1, bytes + Number(length)];
      Object.assign(most, { files: Math.max(most.files, files), bytes: Math.max(most.bytes, bytes) });
      // Each read takes longer than opening a file, so as many reads as allowed run at the same time.
      await new Promise((resolve) => setTimeout(resolve, 20));
      [files, bytes] = [files - 1, bytes - Number(length)];
      return { base64: Buffer.alloc(Number(length)).toString('base64') };
    },
  };
  const call = async (route: string, body = {}) => responders[route]?.(body);
  return { call: call as CallOperator, most };
}

async function exportFiles(sizes: number[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-export-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { call, most } = createInstallation(sizes);
  const copied = await exportInstallation(call, folder, { pause: 'none' });
  expect(copied).toMatchObject({ files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) });
  expect(await readdir(path.join(folder, 'files/FILES'))).toHaveLength(sizes.length);
  return most;
}

test('reads files concurrently up to a limit of bytes, whatever their number', async () => {
  const small = Array.from({ length: 100 }, () => 1000);
  const large = Array.from({ length: 9 }, () => 2 * maxReadBytes + 5);
  const mixed = [...small.slice(0, 30), ...large, ...small.slice(30)];

  expect((await exportFiles(small)).files).toBe(32);
  expect(await exportFiles(large)).toEqual({ files: 4, bytes: 4 * maxReadBytes });
  expect((await exportFiles(mixed)).bytes).toBeLessThanOrEqual(4 * maxReadBytes);
});
