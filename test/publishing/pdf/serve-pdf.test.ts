import { expect, test } from 'vitest';
import { clientOf, insertPage } from '../../content/space-client.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { addressOfPdf, askForPdf, whenDone } from './pdf-client.ts';

test('the address is given at once, answers 202 until the PDF is ready, and then gives it', async () => {
  const server = platform();
  const space = await server.makeSpace({ title: 'Handbook' });
  await clientOf(server, space).change([insertPage('Start')]);

  const asked = await askForPdf(server, space);
  const { url } = (await asked.json()) as { url: string };
  const response = await whenDone(url);

  expect(asked.status).toBe(200);
  expect(new URL(url).pathname).toMatch(/^\/pdf\/pdf_\w{20}\/Handbook\.pdf$/);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('content-disposition')).toContain('filename="Handbook.pdf"');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-security-policy')).toContain('sandbox');
  expect(await response.text()).toMatch(/^%PDF-1\.[4-7]/);
});

test('25 callers at once: it is rendered once, and all are given the same address', async () => {
  const server = platform();
  const space = await server.makeSpace();
  await clientOf(server, space).change([insertPage('Start')]);

  const urls = await Promise.all(Array.from({ length: 25 }, () => addressOfPdf(server, space)));
  await whenDone(urls[0] ?? '');

  expect(new Set(urls.map((url) => new URL(url).pathname)).size).toBe(1);
  expect(query('SELECT state FROM pdfs WHERE space = ?', space.id)).toEqual([{ state: 'ready' }]);
  expect(query("SELECT attempts FROM outbox WHERE space = ? AND type = 'render_pdf'", space.id)).toEqual([
    { attempts: 1 },
  ]);
});
