import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { clientOf } from '../space-client.ts';
import type { TestFile } from './file-client.ts';
import { insertFiles, pixel, textFile } from './file-client.ts';

let space: SpaceClient;
beforeEach(async () => {
  const server = platform();
  space = clientOf(server, await server.makeSpace());
});

test('a file that is inserted can be read and downloaded', async () => {
  const { status, body } = await insertFiles(space, [pixel('pixel.png')]);
  expect(status).toBe(200);
  const [file] = body.insertedFiles ?? [];
  expect(file).toMatchObject({
    object: 'file',
    name: 'pixel.png',
    contentType: 'image/png',
    size: 68,
    dimensions: { width: 1, height: 1 },
  });
  expect(await space.ok<TestFile>(`/content/files/${file?.id}`)).toEqual(file);
  expect(await space.ok<{ items: TestFile[] }>('/content/files')).toEqual({ count: 1, items: [file] });
  const answer = await fetch(file?.downloadURL ?? '');
  expect(answer.status).toBe(200);
  expect(Buffer.from(await answer.arrayBuffer()).toString('base64')).toBe(pixel('x').base64);
  await insertFiles(space, [textFile('a.txt', 'x')]);
});
