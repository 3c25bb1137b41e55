import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { octavo } from '../cli/octavo.ts';
import { createTextFile, insertFiles } from '../content/files/file-client.ts';
import type { TestFile } from '../content/space-client.ts';
import { getClient, insertPage } from '../content/space-client.ts';
import { readMails, waitForMail, waitForMails } from '../support/mail.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform } from '../support/own-platform.ts';
import type { TestSpace } from '../support/platform.ts';

let server: OwnPlatform | undefined;
afterEach(async () => {
  await server?.remove();
  server = undefined;
});

const getDatabases = async (dataDir: string) =>
  (await readdir(path.join(dataDir, 'state/d1'), { recursive: true })).filter((file) =>
    /[0-9a-f]{64}\.sqlite$/.test(file),
  );

const invited = 'invited@example.test';

/** Sends a new invitation and waits until the mail was sent. */
async function invite(to: OwnPlatform, space: TestSpace, count: number): Promise<void> {
  const body = { emails: [invited], role: 'read' };
  const response = await to.request(`/v1/orgs/${space.organization}/invites`, { token: space.token, body });
  if (!response.ok) throw new Error(await response.text());
  await waitForMail(invited, { count, server: to });
  await waitForMails(space.organization, to);
}

test('the same data folder works with D1 and with the machine, in both directions', { timeout: 300_000 }, async () => {
  const first = await startOwnPlatform({ shape: 'workers' });
  server = first;
  const { dataDir } = first;
  const space = await first.makeSpace();
  await insertFiles(getClient(first, space), [createTextFile('kept.txt', 'What is kept.')]);
  await getClient(first, space).change([insertPage('Of workers')]);
  await invite(first, space, 1);
  const files = await getDatabases(dataDir);

  for (const shape of ['machine', 'workers', 'machine'] as const) {
    await server.kill('SIGTERM');
    server = await startOwnPlatform({ shape, data: dataDir });
    await getClient(server, space).change([insertPage(`Of ${shape}`)]);
    const { items } = await getClient(server, space).callJson<{ items: TestFile[] }>('/content/files');
    const { pathname, search } = new URL(items[0]?.downloadURL ?? '');
    expect(readMails(invited, server)).toHaveLength(1);
    expect(await (await fetch(new URL(pathname + search, server.url))).text()).toBe('What is kept.');
  }

  await invite(server, space, 2);

  const titles = (await getClient(server, space).pages()).map(({ title }) => title);
  expect(titles).toEqual(['Of workers', 'Of machine', 'Of workers', 'Of machine']);
  expect(await getDatabases(dataDir)).toEqual(files);
  expect(await octavo({ OCTAVO_DATA: dataDir }, 'doctor', '--data')).toMatchObject({ code: 0 });
});
