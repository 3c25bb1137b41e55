import { expect, test } from 'vitest';
import { makePage } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { makeSite } from '../sites/site-client.ts';
import { read, toUncachedUrl } from './reads.ts';

async function makeDocs() {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization, title: 'Guide' });
  await makePage(space, 'Start', 'Words.\n');
  const site = await makeSite(organization, { spaces: [space.id], visibility: 'public' });
  const { urls } = await site.publish();
  const address = urls.published ?? '';
  const look = (styling: object) => site.callJson('/customization', { method: 'PUT', body: { styling } });
  return { look, page: () => read(toUncachedUrl(address)), file: (path: string) => read(new URL(path, address).href) };
}

test('a page with a custom font loads it from its own site, and other pages load no font', async () => {
  const { look, page, file } = await makeDocs();
  expect((await page()).text).not.toContain('fonts/');

  await look({ font: 'Lato', monospaceFont: 'FiraCode' });
  const { text, headers } = await page();
  const sheets = [...text.matchAll(/<link rel="stylesheet" href="([^"]*\/fonts\/[^"]*)"/g)].map(
    ([, path = '']) => path,
  );
  const early = [...text.matchAll(/<link rel="preload" as="font"[^>]*href="([^"]*)"/g)].map(([, path = '']) => path);

  expect(sheets.map((path) => path.replace(/^.*\/|\..*$/g, ''))).toEqual(['lato', 'fira-code']);
  expect(early).toHaveLength(2);
  expect(headers.get('content-security-policy')).toContain("font-src 'self';");
  for (const path of sheets) {
    const sheet = await file(path);
    const faces = [...sheet.text.matchAll(/url\("([^"]*)"\)/g)].map(([, face = '']) => face);
    expect(sheet.headers.get('content-type')).toMatch(/^text\/css/);
    expect(faces.length).toBeGreaterThan(3);
    const { status, headers: told } = await file(new URL(faces[0] ?? '', `http://site.test/${path}`).pathname.slice(1));
    expect([status, told.get('content-type')]).toEqual([200, 'font/woff2']);
  }
  for (const path of early) expect((await file(path)).status).toBe(200);
});

test('the content security policy allows only fonts of the site', async () => {
  const { look, page } = await makeDocs();
  const fontFaces = [{ weight: 400, sources: [{ url: 'https://fonts.example.test/own.woff2', format: 'woff2' }] }];

  await look({ font: { id: 'own', custom: true, fontFamily: 'Own', fontFaces } });
  const { headers, text } = await page();

  expect(headers.get('content-security-policy')).toContain("font-src 'self' https://fonts.example.test;");
  expect(text).toContain('src:url("https://fonts.example.test/own.woff2")');
});
