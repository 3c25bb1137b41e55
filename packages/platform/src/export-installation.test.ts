import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { maxReadBytes } from '@octavo/schema';
import { expect, onTestFinished, test } from 'vitest';
import { exportInstallation } from './export-installation.ts';
import type { CallOperator } from './operator-client.ts';

/**
 * An installation with files of these sizes, which records how much is read at the same time. It responds to the first
 * reads when there are `parallel` of them.
 */
function createInstallation(sizes: number[], parallel: number) {
  const most = { files: 0, bytes: 0 };
  let [files, bytes] = [0, 0];
  const { promise: allArrived, resolve: respond } = Promise.withResolvers<void>();
  const listed = sizes.map((size, index) => ({ bucket: 'FILES', key: `file${index}`, etag: 'a', size }));
  const responders: Record<string, (body: Record<string, unknown>) => unknown> = {
    '/export/describe': () => ({ tables: [], migrations: [], sequences: [], secrets: [''], stamp: '' }),
    '/export/files': ({ bucket }) => ({ files: bucket === 'FILES' ? listed : [], cursor: null }),
    '/export/part': async ({ length }) => {
      [files, bytes] = [files + 1, bytes + Number(length)];
      Object.assign(most, { files: Math.max(most.files, files), bytes: Math.max(most.bytes, bytes) });
      if (files === parallel) respond();
      await allArrived;
      [files, bytes] = [files - 1, bytes - Number(length)];
      return { base64: Buffer.alloc(Number(length)).toString('base64') };
    },
  };
  const call = async (route: string, body = {}) => responders[route]?.(body);
  return { call: call as CallOperator, most };
}

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-export-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function exportFiles(sizes: number[], parallel: number) {
  const folder = await createFolder();
  const { call, most } = createInstallation(sizes, parallel);
  const copied = await exportInstallation(call, folder, { pause: 'none' });
  expect(copied).toMatchObject({ files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) });
  expect(await readdir(path.join(folder, 'files/FILES'))).toHaveLength(sizes.length);
  return most;
}

test('reads files concurrently up to a limit of bytes, whatever their number', async () => {
  const small = Array.from({ length: 100 }, () => 1000);
  const large = Array.from({ length: 9 }, () => 2 * maxReadBytes + 5);
  const mixed = [...small.slice(0, 30), ...large, ...small.slice(30)];

  expect((await exportFiles(small, 32)).files).toBe(32);
  expect(await exportFiles(large, 4)).toEqual({ files: 4, bytes: 4 * maxReadBytes });
  expect((await exportFiles(mixed, 30)).bytes).toBeLessThanOrEqual(4 * maxReadBytes);
});

test.each([
  ['during', true, 'The server failed.'],
  ['kept', true, 'The server failed.'],
  ['during', false, 'The export is complete.'],
] as const)(
  'reports that it could not resume an installation (pause %s, export fails: %s)',
  async (pause, fails, outcome) => {
    const { call: respond } = createInstallation([], 0);
    const call = (async (route: string, body = {}) => {
      if (route === '/export/describe' && fails) throw new Error('The server failed.');
      if (route === '/export/resume') throw new Error('The server could not be reached.');
      return respond(route as '/export/describe', body);
    }) as CallOperator;
    const exported = exportInstallation(call, await createFolder(), { pause });

    await expect(exported).rejects.toThrow(
      `${outcome}\nThe installation is still paused, because it could not be resumed: The server could not be reached.\nResume it`,
    );
  },
);
