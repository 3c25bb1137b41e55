import { describe, expect, test } from 'vitest';
import { readWebPage } from './read-web-page.ts';

const url = 'https://docs.example/guide/page.html';
const read = (html: string) => readWebPage(html, url);
const readMarkdown = (main: string): string => read(`<main>${main}</main>`).markdown;

describe('addresses', () => {
  test('are absolute, and relative to the base element if the page has one', () => {
    const html = '<base href="/v2/"><main><a href="b.html#c">x</a> <a href="//o.example/">y</a> <a href="?q">z</a>';
    expect(read(html).markdown).toBe(
      '[x](https://docs.example/v2/b.html#c) [y](https://o.example/) [z](https://docs.example/v2/?q)',
    );
    expect(read('<main><a href="#here">x</a>').markdown).toBe(`[x](${url}#here)`);
  });

  test('contain each link of the page once, without its fragment', () => {
    const html =
      '<nav><a href="/n">n</a></nav><main><a href="a#1">a</a><a href="a#2">a</a><a href="mailto:x@y">m</a><a href="https://[">b</a></main>';
    expect(read(html).links).toEqual(['https://docs.example/n', 'https://docs.example/guide/a']);
  });

  test.each([
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'blob:https://docs.example/x',
    'https://[bad',
  ])('drop an image with the URL %j, and convert a link to it to plain text', (address) => {
    const written = address
      .replace(/&/g, '&amp;')
      .replace(/"/g, '&quot;')
      .replace(/\n/g, '&#10;')
      .replace('\u0001', '&#1;');
    const page = read(`<base href="${written}"><main><p><a href="${written}">x</a><img src="${written}"></p></main>`);
    expect(page).toMatchObject({ markdown: 'x', links: [], images: [] });
  });

  test('keeps HTML that is written as text', () => {
    expect(readMarkdown('<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>')).toBe('\\<script>alert(1)\\</script>');
    expect(readMarkdown('<p onclick="bad()"><b onmouseover=bad()>x</b></p>')).toBe('**x**');
  });

  test('reads the head', () => {
    const html = `<meta name="description" content=" All of\nit "><link rel="canonical" href="/guide/page">
      <meta name="robots" content="NOINDEX, nofollow"><meta http-equiv="Refresh" content="0; URL='other.html'"><p>x`;
    expect(read(html)).toMatchObject({
      description: 'All of it',
      canonical: 'https://docs.example/guide/page',
      noIndex: true,
      noFollow: true,
      redirect: 'https://docs.example/guide/other.html',
    });
    const none = read('<p>x');
    expect(none).toMatchObject({ noIndex: false, noFollow: false });
    for (const key of ['description', 'canonical', 'redirect']) expect(none).not.toHaveProperty(key);
    expect(read('<meta name="robots" content="none"><p>x')).toMatchObject({ noIndex: true, noFollow: true });
    expect(read('<meta http-equiv="refresh" content="300"><p>x')).not.toHaveProperty('redirect');
  });
});

describe('navigation', () => {
  const getUrl = (name: string): string => `https://docs.example/guide/${name}`;

  test('uses the nested list with the most pages, and its headings as groups', () => {
    const html = `<header><nav><a href="/">Home</a></nav></header>
      <aside class="sidebar"><p class="caption">Start</p><ul><li><a href="a">A</a><ul><li><a href="b#x">B</a></li></ul></li></ul>
      <h3>Use</h3><ul><li><span>Plain</span><ul><li><a href="c">C</a></li></ul></li><ul><li><a href="d">D</a></li></ul></ul></aside>
      <main><ul class="toc"><li><a href="#1">1</a></li><li><a href="#2">2</a></li><li><a href="#3">3</a></li></ul><p>x</p></main>`;
    expect(read(html).navigation).toEqual([
      {
        title: 'Start',
        children: [{ title: 'A', url: getUrl('a'), children: [{ title: 'B', url: getUrl('b'), children: [] }] }],
      },
      {
        title: 'Use',
        children: [
          {
            title: 'Plain',
            children: [
              { title: 'C', url: getUrl('c'), children: [] },
              { title: 'D', url: getUrl('d'), children: [] },
            ],
          },
        ],
      },
    ]);
  });

  test('is empty if no list links to pages', () => {
    expect(
      read('<nav><ul><li><a href="#a">a</a></li><li><a href="https://o.example/">b</a></li></ul></nav><p>x').navigation,
    ).toEqual([]);
  });
});
