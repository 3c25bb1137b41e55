import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { getPng, gif, jpeg, webp } from '../../support/images.ts';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { publish, sendPublish } from './registry-client.ts';

let owner: TestOrganization;
beforeAll(async () => {
  owner = await platform().makeOrganization();
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const getPath = (address: unknown): string => new URL(String(address)).pathname;

describe.each([
  ['png', getPng(64, 48)],
  ['jpeg', jpeg],
  ['gif', gif],
  ['webp', webp],
])('a %s', (kind, bytes) => {
  test('is served unchanged, with headers that prevent it from running code', async () => {
    const { urls, previewImages } = await publish(owner, { icon: base64(bytes), previewImages: [base64(bytes)] });

    expect(previewImages).toHaveLength(1);
    for (const address of [urls.icon, previewImages[0]]) {
      const response = await platform().request(getPath(address));
      expect(response.status).toBe(200);
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
      expect(response.headers.get('content-type')).toBe(`image/${kind}`);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
      expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(response.headers.get('content-disposition')).toMatch(/^inline/);
    }
  });
});

test('returns 304 to a client that has the image', async () => {
  const { urls } = await publish(owner, { icon: base64(getPng(8, 8)) });
  const first = await platform().request(getPath(urls.icon));

  const response = await platform().request(getPath(urls.icon), {
    headers: { 'if-none-match': first.headers.get('etag') ?? '' },
  });

  expect(response.status).toBe(304);
});

test('each image has a URL that cannot be guessed, even if two images have equal bytes', async () => {
  const icon = base64(getPng(8, 8));
  const { previewImages, urls } = await publish(owner, { icon, previewImages: [icon, icon, icon] });

  const names = [urls.icon, ...previewImages].map((address) => getPath(address));
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^\/integration-images\/\w{20}-png$/);
});

test('a version without images returns none, and the URLs of earlier images still work', async () => {
  const first = await publish(owner, { icon: base64(getPng(8, 8)) });
  const second = await publish(owner, { name: first.name });

  expect(second.urls).not.toHaveProperty('icon');
  expect((await platform().request(getPath(first.urls.icon))).status).toBe(200);
});

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>alert(1)</script></svg>';
const html = '<!doctype html><script>alert(1)</script>';
const bmp = Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]);
const cut = (bytes: Buffer, from: number): Buffer => bytes.subarray(0, bytes.length - from);

const faults: [string, Uint8Array][] = [
  ['SVG', Buffer.from(svg)],
  ['an SVG that begins as XML', Buffer.from(`<?xml version="1.0"?>${svg}`)],
  ['a page', Buffer.from(html)],
  ['a BMP', bmp],
  ['a PDF', Buffer.from('%PDF-1.4\n%%EOF')],
  ['an HTML page after a PNG', Buffer.concat([getPng(8, 8), Buffer.from(html)])],
  ['an HTML page after a JPEG', Buffer.concat([jpeg, Buffer.from(html)])],
  ['an HTML page after a GIF', Buffer.concat([gif, Buffer.from(html)])],
  ['an HTML page after a WebP', Buffer.concat([webp, Buffer.from(html)])],
  ['a script that begins as a GIF', Buffer.from('GIF89a=1;alert(1);')],
  ['a PNG that is cut off', cut(getPng(8, 8), 4)],
  ['a WebP that is cut off', cut(webp, 4)],
  ['only the beginning of a PNG', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ['a PNG without a size', getPng(0, 0)],
  ['a few bytes', Buffer.from([1, 2, 3, 4])],
];

const getMessage = async (response: Response) => {
  const { error } = (await response.json()) as { error: { issues?: { path: string; message: string }[] } };
  return { status: response.status, issue: error.issues?.[0] };
};

test.each(faults)('rejects %s, as an icon and as a preview', async (_, bytes) => {
  const image = base64(bytes);

  const asIcon = await getMessage(await sendPublish(owner, 'image-faults', { icon: image }));
  const asPreview = await getMessage(await sendPublish(owner, 'image-faults', { previewImages: [base64(gif), image] }));

  expect(asIcon).toMatchObject({ status: 400, issue: { path: 'body.icon' } });
  expect(asPreview).toMatchObject({ status: 400, issue: { path: 'body.previewImages.1' } });
});

test('rejects an image with few bytes but many pixels, and names its dimensions', async () => {
  const bomb = getPng(60_000, 60_000);
  expect(bomb.length).toBeLessThan(2000);

  const asIcon = await getMessage(await sendPublish(owner, 'image-bomb', { icon: base64(bomb) }));
  const asPreview = await getMessage(await sendPublish(owner, 'image-bomb', { previewImages: [base64(bomb)] }));

  expect(asIcon).toMatchObject({ status: 400, issue: { message: expect.stringContaining('60000 x 60000') } });
  expect(asPreview).toMatchObject({ status: 400, issue: { message: expect.stringContaining('60000 x 60000') } });
});

test('has lower limits for icons than for previews, in bytes and in pixels', async () => {
  const wide = base64(getPng(4096, 10));
  const large = base64(Buffer.concat([cut(getPng(8, 8), 12), Buffer.alloc(300 * 1024), getPng(8, 8).subarray(-12)]));

  for (const image of [wide, large]) {
    expect((await sendPublish(owner, 'image-sizes', { icon: image })).status).toBe(400);
    expect((await sendPublish(owner, 'image-sizes', { previewImages: [image] })).status).toBe(200);
  }
});

test('returns 404 for any other path below the image URLs', async () => {
  const { urls } = await publish(owner, { icon: base64(getPng(8, 8)) });
  const name = getPath(urls.icon).split('/').at(-1) ?? '';
  const others = [name.replace('-png', '-js'), name.replace('-png', ''), name.replace('-png', '-svg'), `${name}x`];

  for (const other of [...others, '..%2Fpdfs%2Fa', 'a'.repeat(300)]) {
    expect((await platform().request(`/integration-images/${other}`)).status).toBe(404);
  }
});

test('accepts a real icon of several chunks', async () => {
  const icon = readFileSync(new URL('../../../integrations/notifications/icon.png', import.meta.url));

  expect((await publish(owner, { icon: base64(icon) })).urls.icon).toBeDefined();
});
