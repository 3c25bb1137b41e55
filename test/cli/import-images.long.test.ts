import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { put, startUpload } from '../content/uploads/upload-client.ts';
import { json } from '../support/content.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform } from '../support/own-platform.ts';
import { measureRuntimeTime } from '../support/runtime-time.ts';
import { findSpaceId, octavo, writeTree } from './octavo.ts';

const images = 100;
const imageBytes = 300 * 1024;
const largestBytes = 100_000_000;
const uploadsAtOnce = 8;
/** The measured value is about 310 MB. It would be 1,200 MB if the batches contained all bytes as text. */
const mostMegabytes = 450;

interface Files {
  items: { downloadURL: string; git?: { path: string; oid: string } }[];
}

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server?.remove());

/** Returns the peak memory use of the runtime. */
async function readPeakMegabytes(): Promise<number> {
  const status = readFileSync(`/proc/${await server.getWorkerdPid()}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

async function measureWork(work: () => Promise<unknown>): Promise<number> {
  const before = measureRuntimeTime(server);
  await work();
  return measureRuntimeTime(server) - before;
}

/** Uploads the bytes without importing them, for comparison. */
async function copy(files: Uint8Array<ArrayBuffer>[]): Promise<void> {
  const { id: organization, token } = await server.makeOrganization();
  const queue = files.values();
  const work = async () => {
    for (const bytes of queue) {
      const { url } = await startUpload({ organization, token }, bytes.length, 'a.png', server);
      expect((await put(url, bytes)).status).toBe(204);
    }
  };
  await Promise.all(Array.from({ length: uploadsAtOnce }, work));
}

const getOid = (bytes: Uint8Array) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

test('importing images takes at most twice as long as copying them, in bounded memory, also with a file of 100 MB', async () => {
  const files = Array.from({ length: images }, () => new Uint8Array(randomBytes(imageBytes)));
  const named = files.map((bytes, index): [string, Uint8Array] => [`img/${index}.png`, bytes]);
  const links = [...named.map(([name]) => name), 'largest.png'].map((name) => `![](${name})\n`);
  const folder = await writeTree({ 'README.md': `# Images\n\n${links.join('\n')}`, ...Object.fromEntries(named) });
  await writeFile(path.join(folder, 'largest.png'), randomBytes(largestBytes - 1));
  await truncate(path.join(folder, 'largest.png'), largestBytes);
  const largest = readFileSync(path.join(folder, 'largest.png'));

  const copied = await measureWork(() => copy([...files, new Uint8Array(largest)]));
  const env = { OCTAVO_URL: server.url, OCTAVO_TOKEN: server.token };
  let printed = '';
  const imported = await measureWork(async () => {
    printed = (await octavo(env, 'import', folder, '--space', 'new')).stdout;
  });

  expect(printed).toContain(`files: ${images + 1} created`);
  expect(imported).toBeLessThan(2 * copied);
  const { items } = await json<Files>(
    `/v1/spaces/${findSpaceId(printed)}/content/files?limit=1000`,
    { token: server.token },
    server,
  );
  const expected = [...named, ['largest.png', largest] as const].map(([name, bytes]) => [name, getOid(bytes)]);
  expect(new Map(items.map(({ git }) => [git?.path, git?.oid]))).toEqual(new Map(expected as [string, string][]));
  const address = items.find(({ git }) => git?.path === 'largest.png')?.downloadURL ?? '';
  expect(getOid(new Uint8Array(await (await fetch(address)).arrayBuffer()))).toBe(getOid(largest));
  expect(await readPeakMegabytes()).toBeLessThan(mostMegabytes);
}, 600_000);
