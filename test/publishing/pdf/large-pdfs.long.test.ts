import { callOperator } from '@octavo/platform';
import { expect, onTestFinished, test } from 'vitest';
import { getClient, insertPage } from '../../content/space-client.ts';
import { queryDatabase, writeStoppedDatabase } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { createNoisePng } from './noise.ts';
import { downloadPdf, requestPdfUrl, waitForPdf } from './pdf-client.ts';
import { readPdf } from './read-pdf.ts';
import { getObjects } from './rendered.ts';

const createPage = (title: string, markdown: string) => ({ ...insertPage(title), document: { markdown } });

test('renders a hundred pages in order, each with an outline entry and a link in the table of contents', async () => {
  const server = platform();
  const space = await server.makeSpace();
  const client = getClient(server, space);
  const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
  const changes = numbers.map((number) =>
    createPage(
      `Page ${number}`,
      `## Part of ${number}\n\nWords-${number}-here. [Next](/page-${(number % 100) + 1}).\n`,
    ),
  );
  for (let start = 0; start < 100; start += 50) await client.change(changes.slice(start, start + 50));

  const { texts, outline, jumps } = await readPdf(await downloadPdf(server, space));

  const text = texts.join('\n');
  const places = numbers.map((number) => text.indexOf(`Words-${number}-here.`));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(outline.filter((entry) => /^Page \d+$/.test(entry.trim())).map((entry) => entry.trim())).toEqual(
    numbers.map((number) => `Page ${number}`),
  );
  expect(jumps.length).toBeGreaterThanOrEqual(200);
}, 120_000);

test('completes a PDF whose job was killed during the upload, and leaves no partial upload', async () => {
  const server = await startOwnPlatform({ allowsPrivate: true });
  onTestFinished(() => server.remove());
  let isHanging = true;
  const requestedPaths: string[] = [];
  const picture = createNoisePng(1_200);
  const base = await serveLocally(({ url = '' }, response) => {
    requestedPaths.push(url);
    if (url === '/3.png' && isHanging) return;
    response.setHeader('content-type', 'image/png').end(url === '/1.png' ? createNoisePng(1_200) : picture);
  });
  const space = await server.makeSpace();
  await getClient(server, space).change(
    [1, 2, 3].map((number) => createPage(`Page ${number}`, `Words-${number}.\n\n![](${base}/${number}.png)\n`)),
  );
  const url = await requestPdfUrl(server, space);
  const isRecorded = () =>
    queryDatabase(server.dataDir, 'SELECT 1 FROM pdfs WHERE upload IS NOT NULL').length > 0 &&
    getObjects(server).uploads.length > 0;
  await until(() => (requestedPaths.includes('/3.png') && isRecorded()) || undefined);
  expect((await fetch(url)).status).toBe(202);
  // If the render process ended before the runtime, the runtime would still abort the upload.
  await server.kill('SIGKILL', 'workerd');
  await server.kill('SIGKILL');
  expect(getObjects(server)).toEqual({ objects: [], uploads: [expect.stringMatching(/^pdf_/)] });

  isHanging = false;
  writeStoppedDatabase(server, 'UPDATE outbox SET sent_at = 0 WHERE done_at IS NULL');
  await server.restart();
  await callOperator(server.dataDir, '/cron', { worker: 'publishing', cron: '* * * * *' });
  const response = await waitForPdf(url);
  const bytes = new Uint8Array(await response.arrayBuffer());

  expect(bytes.length).toBeGreaterThan(5 * 1024 * 1024);
  expect(queryDatabase(server.dataDir, 'SELECT state, bytes, upload, error FROM pdfs')).toEqual([
    { state: 'ready', bytes: bytes.length, upload: null, error: null },
  ]);
  expect(getObjects(server)).toEqual({ objects: [expect.stringMatching(/^pdf_/)], uploads: [] });
  expect((await readPdf(bytes)).texts.join('\n')).toMatch(/Words-1\.[\s\S]*Words-2\.[\s\S]*Words-3\./);
}, 120_000);
