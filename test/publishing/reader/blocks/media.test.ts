import { beforeAll, expect, test } from 'vitest';
import { platform } from '../../../support/platform.ts';
import { createDrawingSite } from './drawn-page.ts';

let site: Awaited<ReturnType<typeof createDrawingSite>>;

beforeAll(async () => {
  site = await createDrawingSite();
});

test('loads the first image eagerly and others lazily, each with its dimensions', async () => {
  const page = await site.draw(`![One](${site.picture})\n\n![Two](${site.picture})\n\n![Three](${site.picture})\n`);

  expect(
    page.all('img').map(({ attributes: { loading, width, height, alt } }) => [alt, loading, width, height]),
  ).toEqual([
    ['One', 'eager', '640', '320'],
    ['Two', 'lazy', '640', '320'],
    ['Three', 'lazy', '640', '320'],
  ]);
});

test('an image has a caption, a width, and light and dark versions', async () => {
  const { picture } = site;
  const page = await site.draw(
    `<figure><picture><source srcset="${picture}" media="(prefers-color-scheme: dark)"><img src="${picture}" alt="A" width="375"></picture><figcaption><p>Of <strong>it</strong></p></figcaption></figure>\n`,
  );

  expect(page.one('figcaption').text).toBe('Of it');
  expect(page.all('img').map(({ classes }) => classes[0])).toEqual(['in-light', 'in-dark']);
  expect(page.html).toMatch(/\.s\d+\{inline-size:375px\}/);
});

test('a linked image is inside a link, and an inline image is as high as its line', async () => {
  const page = await site.draw(
    `[![Badge](${site.picture})](https://a.example) and <img src="${site.picture}" alt="Small" data-size="line">\n`,
  );
  const [link] = page.all('a').filter(({ attributes }) => attributes.href === 'https://a.example');

  expect(link?.inside.map(({ tag }) => tag)).toEqual(['img']);
  expect(page.one('img.inline').attributes.alt).toBe('Small');
});

test('a file is a card with its name, type and size', async () => {
  const page = await site.draw(`{% file src="${site.data}" %}\n`);

  expect(page.one('p.card').text).toBe('data.csvCSV · 1 B');
});

test('loads a player of a known provider on demand, and the policy allows only this provider', async () => {
  const page = await site.draw(
    '{% embed url="https://youtu.be/dQw4w9WgXcQ" %}\n\n{% embed url="https://a.example/page" %}\n',
  );

  expect(page.all('iframe')).toEqual([]);
  expect(page.one('embed-frame').attributes).toMatchObject({
    'data-source': 'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ',
    'data-load': 'Play on YouTube',
  });
  expect(page.policy).toContain('frame-src https://www.youtube-nocookie.com;');
  expect(page.all('p.card').flatMap(({ inside }) => inside[0]?.attributes.href)).toEqual([
    ...['https://youtu.be/dQw4w9WgXcQ', 'https://a.example/page'],
  ]);
});

test.each(['https://www.youtube.com.a.example/watch?v=dQw4w9WgXcQ', 'https://www.youtube.com/redirect?q=x'])(
  'does not frame %s',
  async (url) => {
    const page = await site.draw(`{% embed url="${url}" %}\n`);

    expect(page.all('embed-frame')).toEqual([]);
    expect(page.policy).not.toContain('frame-src');
  },
);

test('a diagram contains its source, and is rendered in a sandboxed frame of our own', async () => {
  const page = await site.draw('```mermaid\nflowchart LR\n  A --> B\n```\n');
  const { text, attributes } = page.one('mermaid-diagram');
  const [base = ''] = page.html.match(/<link rel="canonical" href="([^"]*)"/)?.slice(1) ?? [];
  const frame = await platform().request(new URL(attributes['data-frame'] ?? '', base).href);

  expect(text).toContain('A --> B');
  expect(page.policy).toContain("frame-src 'self'");
  expect(frame.status).toBe(200);
  expect(frame.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'.*frame-ancestors 'self'; sandbox allow-scripts$/,
  );
  const [script = ''] = /src="([^"]+)"/.exec(await frame.text())?.slice(1) ?? [];
  const loaded = await platform().request(new URL(script, frame.url).href);
  expect(loaded.headers.get('access-control-allow-origin')).toBe('*');
  const [parts = ''] = /"(\.\/mermaid[^"]+)"/.exec(await loaded.text())?.slice(1) ?? [];
  const mermaid = await platform().request(new URL(parts, loaded.url).href);
  expect(mermaid.headers.get('content-type')).toContain('javascript');
  expect(await mermaid.text()).toContain('mermaid');
});
