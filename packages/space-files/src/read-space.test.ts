import type { File } from '@octavo/schema';
import { expect, test, vi } from 'vitest';
import { downloadFile } from './read-space.ts';

const file = { name: 'logo.png', downloadURL: 'https://files.test/logo.png' } as File;
const cutOff = new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) });

test.each([
  ['status', async () => new Response('', { status: 503 }), 'the server returned 503'],
  ['missing response', () => Promise.reject(new TypeError('Failed to fetch')), 'the connection to the server failed'],
  ['incomplete response', async () => new Response(cutOff), 'the connection to the server failed'],
])('a failed download names the file and the reason: %s', async (_, fetchFile, reason) => {
  vi.stubGlobal('fetch', fetchFile);

  await expect(downloadFile(file)).rejects.toMatchObject({
    name: 'FileDownloadError',
    message: `The file logo.png could not be read: ${reason}.`,
  });
});
