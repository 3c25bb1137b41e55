import { beforeAll, expect, test } from 'vitest';
import { downloadPdf } from '../../publishing/pdf/pdf-client.ts';
import { json } from '../../support/content.ts';
import { createPaddedPng } from '../../support/images.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient, TestFile } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { getLifecycles } from '../spaces/space-life.ts';
import { download, insertUploadInto, partBytes, uploadBytes } from './upload-client.ts';

// Tests every kind of read of a file that was uploaded in parts.

const bytes = new Uint8Array(createPaddedPng(20, 20, partBytes + 1000));
let organization: TestOrganization;
let newSpace: TestSpace;
let space: SpaceClient;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  newSpace = await platform().makeSpace({ organization });
  space = getClient(platform(), newSpace);
  const file = await insertUploadInto(space, (await uploadBytes(newSpace, bytes, 'large.png')).key, {
    name: 'large.png',
  });
  const markdown = `![The image](/files/${file.id})\n`;
  await space.change([insertPage('With an image', { document: { markdown } })]);
});

async function getFile(client: SpaceClient): Promise<Buffer> {
  const { items } = await client.callJson<{ items: TestFile[] }>('/content/files');
  const [file] = items;
  if (file === undefined) throw new Error('The space has no file.');
  return download(file);
}

test('a PDF contains an uploaded file', async () => {
  const pdf = Buffer.from(await downloadPdf(platform(), newSpace)).toString('latin1');
  expect(pdf).toMatch(/\/Subtype\s*\/Image/);
});

test('an uploaded file is copied with its space, and moves with the space to another organization', async () => {
  const { token } = organization;
  const copy = await getLifecycles(organization).copy(newSpace.id);
  expect((await getFile(getClient(platform(), { id: copy.id, token }))).equals(bytes)).toBe(true);

  const { id: other } = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'The other' } });
  expect((await getLifecycles(organization).transfer(copy.id, other)).status).toBe(200);
  expect((await getFile(getClient(platform(), { id: copy.id, token }))).equals(bytes)).toBe(true);
});
