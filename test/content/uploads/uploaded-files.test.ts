import { beforeAll, expect, test } from 'vitest';
import { bytesOfPdf } from '../../publishing/pdf/pdf-client.ts';
import { json } from '../../support/content.ts';
import { paddedPng } from '../../support/images.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient, TestFile } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { getLives } from '../spaces/space-life.ts';
import { download, insertedInto, partBytes, uploaded } from './upload-client.ts';

// Tests every kind of read of a file that was uploaded in parts.

const bytes = new Uint8Array(paddedPng(20, 20, partBytes + 1000));
let organization: TestOrganization;
let made: TestSpace;
let space: SpaceClient;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  made = await platform().makeSpace({ organization });
  space = getClient(platform(), made);
  const file = await insertedInto(space, (await uploaded(made, bytes, 'large.png')).key, { name: 'large.png' });
  const markdown = `![The image](/files/${file.id})\n`;
  await space.change([insertPage('With an image', { document: { markdown } })]);
});

async function getFile(client: SpaceClient): Promise<Buffer> {
  const { items } = await client.ok<{ items: TestFile[] }>('/content/files');
  const [file] = items;
  if (file === undefined) throw new Error('The space has no file.');
  return download(file);
}

test('a PDF contains an uploaded file', async () => {
  const pdf = Buffer.from(await bytesOfPdf(platform(), made)).toString('latin1');
  expect(pdf).toMatch(/\/Subtype\s*\/Image/);
});

test('an uploaded file is copied with its space, and moves with the space to another organization', async () => {
  const { token } = organization;
  const copy = await getLives(organization).copy(made.id);
  expect((await getFile(getClient(platform(), { id: copy.id, token }))).equals(bytes)).toBe(true);

  const { id: other } = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'The other' } });
  expect((await getLives(organization).transfer(copy.id, other)).status).toBe(200);
  expect((await getFile(getClient(platform(), { id: copy.id, token }))).equals(bytes)).toBe(true);
});
