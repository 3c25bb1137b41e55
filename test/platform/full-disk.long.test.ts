import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmdirSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnPlatform, startOwnPlatform, until } from '../support/own-platform.ts';

/**
 * The data folder is on a real file system of 120 MB, which only root can mount. The server warns below 80 MB of free
 * space, and rejects writes below 40 MB.
 */

let disk: string;
let platform: OwnPlatform;
let space: { id: string; token: string };

beforeAll(async () => {
  disk = mkdtempSync(path.join(tmpdir(), 'octavo-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=120000000', 'tmpfs', disk]);
  const env = { OCTAVO_DISK_WARNING_MB: '80', OCTAVO_DISK_RESERVE_MB: '40' };
  platform = await startOwnPlatform({ data: path.join(disk, 'data'), env });
  space = await platform.makeSpace();
});
afterAll(async () => {
  await platform?.remove();
  execFileSync('umount', [disk]);
  rmdirSync(disk);
});

/** Fills the disk except for this number of bytes. */
function fillDisk(bytesLeft: number): Promise<true> {
  // The server may write between the measurement and the allocation.
  return until(() => {
    const { bavail, bsize } = statfsSync(disk);
    const length = String(bavail * bsize - bytesLeft);
    return spawnSync('fallocate', ['-l', length, path.join(disk, 'others')]).status === 0 || undefined;
  });
}

const freeDisk = () => rm(path.join(disk, 'others'));

async function call(route: string, body?: unknown) {
  const response = await platform.request(route, { token: space.token, body });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const write = () =>
  call(`/v1/spaces/${space.id}/content`, {
    changes: [{ operation: 'insert_page', title: 'Page', document: { markdown: 'Text\n' } }],
  });

const upload = () => {
  const file = {
    name: 'a.bin',
    contentType: 'application/octet-stream',
    base64: randomBytes(700_000).toString('base64'),
  };
  return call(`/v1/spaces/${space.id}/content`, { changes: [{ operation: 'insert_files', files: [file] }] });
};

const readHealth = async () => {
  const response = await platform.request('/health');
  return { status: response.status, body: await response.json() };
};

const readLog = () => readFileSync(path.join(disk, 'data', 'octavo.log'), 'utf8');

test('warns when free space is below the configured limit, and still writes', async () => {
  await fillDisk(60_000_000);
  await until(() => /The disk is nearly full: [56]/.test(readLog()) || undefined);

  expect((await write()).status).toBe(200);
  expect(await readHealth()).toEqual({ status: 200, body: { status: 'ok' } });
  expect(platform.printed().stdout).toContain('The disk is nearly full');
  await freeDisk();
  await until(() => readLog().includes('The disk has enough space again') || undefined);
});

test('rejects writes with the reason and serves reads when free space is below the reserve', async () => {
  await fillDisk(20_000_000);
  await until(async () => (await readHealth()).status === 503 || undefined);

  const error = {
    code: 507,
    type: 'storage_full',
    message: expect.stringMatching(/^The disk of the server is full: \d+ MB are free, and writes need 40 MB\./),
    requestId: expect.any(String),
  };
  expect(await write()).toEqual({ status: 507, body: { error } });
  expect(await upload()).toEqual({ status: 507, body: { error } });
  expect((await call(`/v1/spaces/${space.id}/content`)).status).toBe(200);
  expect(await readHealth()).toEqual({
    status: 503,
    body: { status: 'error', reads: 'ok', writes: expect.stringContaining('The disk of the server is full') },
  });
  await freeDisk();
  await until(async () => (await readHealth()).status === 200 || undefined);
  expect((await upload()).status).toBe(200);
});

test('a disk that suddenly fills up breaks neither reads nor later writes', async () => {
  const before = await call(`/v1/spaces/${space.id}/content`);
  await fillDisk(0);

  const writes = [write(), upload(), write(), upload()];
  const reads = Array.from({ length: 40 }, () => call(`/v1/spaces/${space.id}/content`));
  expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([507, 507, 507, 507]);
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(reads.map(() => 200));
  expect((await call(`/v1/spaces/${space.id}/content`)).body).toEqual(before.body);
  expect((await readHealth()).status).toBe(503);

  await freeDisk();
  await until(async () => (await readHealth()).status === 200 || undefined);
  expect((await write()).status).toBe(200);
  expect((await upload()).status).toBe(200);
});
