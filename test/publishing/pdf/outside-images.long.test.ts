import type { IncomingMessage, ServerResponse } from 'node:http';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getClient, insertPage } from '../../content/space-client.ts';
import { serveLocally } from '../../support/local-server.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform } from '../../support/own-platform.ts';
import type { Server } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { downloadPdf } from './pdf-client.ts';
import { readPdf } from './read-pdf.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);

/** A platform with default settings, which does not fetch private addresses for users. */
let guarded: OwnPlatform;
beforeAll(async () => {
  guarded = await startOwnPlatform();
});
afterAll(() => guarded?.remove());

/** Serves images on loopback and records the requested paths. */
async function startWatchedServer(
  respond = (_: IncomingMessage, response: ServerResponse): unknown => response.end(png),
) {
  const paths: string[] = [];
  const base = await serveLocally((request, response) => {
    paths.push(request.url ?? '');
    response.setHeader('content-type', 'image/png');
    respond(request, response);
  });
  return { base, paths };
}

async function getPdf(server: Server, markdown: string): Promise<Uint8Array> {
  const space = await server.makeSpace();
  await getClient(server, space).change([{ ...insertPage('Page'), document: { markdown } }]);
  return downloadPdf(server, space);
}

const countImages = (bytes: Uint8Array): number =>
  Buffer.from(bytes)
    .toString('latin1')
    .match(/\/Subtype\s*\/Image/g)?.length ?? 0;

test('fetches an external image once, however often it is used', async () => {
  const { base, paths } = await startWatchedServer();

  const bytes = await getPdf(platform(), `![a](${base}/a.png)\n\n![again](${base}/a.png)\n`);

  expect(paths).toEqual(['/a.png']);
  expect(countImages(bytes)).toBeGreaterThan(0);
});

test('fetches nothing from private addresses, whatever their spelling', async () => {
  const { base, paths } = await startWatchedServer();
  const { port } = new URL(base);
  const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '0.0.0.0'];

  const bytes = await getPdf(guarded, hosts.map((host) => `![x](http://${host}:${port}/${host}.png)\n`).join('\n'));

  expect(paths).toEqual([]);
  expect(countImages(bytes)).toBe(0);
  expect((await readPdf(bytes)).texts.length).toBeGreaterThan(0);
});

test('does not fetch files, other schemes, or resources of HTML', async () => {
  const { base, paths } = await startWatchedServer();
  const written = [
    '![a](file:///etc/passwd)',
    '![b](php://filter/convert.base64-encode/resource=index.php)',
    '![c](ftp://127.0.0.1/x.png)',
    '![d](//127.0.0.1/x.png)',
    '![e](../../../../etc/passwd)',
    '<img src="file:///etc/hostname">',
    `<link rel="stylesheet" href="${base}/link.css">`,
    `<iframe src="${base}/iframe.html"></iframe>`,
    `<object data="${base}/object.svg"></object>`,
    `<script src="${base}/script.js"></script>`,
    `<style>@import url("${base}/style.css"); body { background: url(${base}/background.png) }</style>`,
    `{% embed url="${base}/embed" %}`,
    `[a link](${base}/link)`,
  ];

  const bytes = await getPdf(platform(), `${written.join('\n\n')}\n\nThe end.\n`);

  expect(paths).toEqual([]);
  expect(countImages(bytes)).toBe(0);
  const text = (await readPdf(bytes)).texts.join('\n');
  expect(text).toContain('The end.');
  expect(text).not.toContain('root:');
});

test('does not fetch the files that an SVG refers to', async () => {
  const { base, paths } = await startWatchedServer(({ url }, response) =>
    response.setHeader('content-type', 'image/svg+xml').end(
      url === '/a.svg'
        ? `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">
              <image href="/b.png" width="9" height="9"/><image xlink:href="file:///etc/passwd" width="9" height="9"/>
              <use href="${'http://127.0.0.1'}/c.svg#x"/><rect width="9" height="9"/></svg>`
        : png,
    ),
  );

  await getPdf(platform(), `![a](${base}/a.svg)\n`);

  expect(paths).toEqual(['/a.svg']);
});

test('omits the image of a server that stalls, sends too much or fails, but renders the PDF', async () => {
  const noise = Buffer.alloc(6 * 1024 * 1024, 1);
  const { base, paths } = await startWatchedServer(({ url }, response) => {
    if (url === '/slow.png') return;
    if (url === '/bomb.png') response.setHeader('content-encoding', 'deflate').end(deflateSync(noise));
    else if (url === '/large.png') response.end(noise);
    else response.writeHead(500).end();
  });

  const bytes = await getPdf(
    platform(),
    ['slow', 'bomb', 'large', 'broken'].map((name) => `![${name}](${base}/${name}.png)\n\n`).join(''),
  );

  expect(paths.toSorted()).toEqual(['/bomb.png', '/broken.png', '/large.png', '/slow.png']);
  expect(countImages(bytes)).toBe(0);
});

test('fetches at most a hundred external images', async () => {
  const { base, paths } = await startWatchedServer((_, response) => response.writeHead(404).end());

  await getPdf(platform(), Array.from({ length: 105 }, (_, index) => `![${index}](${base}/${index}.png)\n\n`).join(''));

  expect(paths).toHaveLength(100);
});
