import { describe, expect, test } from 'vitest';
import { WebPageError } from './measure-html.ts';
import { readWebPage, type WebPage } from './read-web-page.ts';
import { readRobots } from './robots.ts';
import { readSitemap, SitemapError } from './sitemap.ts';

/** CPU time. An algorithm that is not near-linear takes minutes. */
const limitMs = 3_000;
/** Long enough that quadratic work exceeds the limit by far. */
const length = 150_000;

function runInLimitedTime<T>(work: () => T): T {
  const start = process.threadCpuUsage();
  try {
    return work();
  } finally {
    const { user, system } = process.threadCpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(limitMs);
  }
}

const read = (html: string): WebPage => runInLimitedTime(() => readWebPage(html, 'https://docs.example/a/b'));
const repeatText = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, n) => make(n)).join('');

describe('reads or rejects a hostile page within seconds', () => {
  test.each<[string, string]>([
    ['spaces', ' '.repeat(length)],
    ['spaces in a paragraph', `<p>a${' '.repeat(length)}b`],
    ['tag starts', '<'.repeat(1e5)],
    ['stars', `<p>${'*'.repeat(length)}`],
    ['underscores', `<p>${'_'.repeat(length)}`],
    ['brackets', `<p>${'['.repeat(length)}`],
    ['backticks in code', `<p><code>${'`'.repeat(length)}</code>`],
    ['pipes in a cell', `<table><tr><td>${'|'.repeat(length)}`],
    ['references', `<p>${'&#x'.repeat(1.5e5)}`],
    ['comments', '<!--'.repeat(length)],
    ['scripts', '<script>'.repeat(1e5)],
    ['a title of separators', `<title>${' | '.repeat(1.5e5)}</title>`],
    ['classes', `<p class="${'a '.repeat(length)}">x`],
    ['a srcset', `<img srcset="${', '.repeat(length)}">`],
    ['line ends in code', `<pre>${'\n'.repeat(length)}x`],
    ['a word of five megabytes', `<p>${'a'.repeat(5e6)}`],
    ['lists in lists', `${'<ul><li>'.repeat(240)}x`],
    ['quotes in quotes', `${'<blockquote>'.repeat(240)}x`],
    ['tables in tables', `${'<table><tr><td>'.repeat(240)}x`],
    ['hints in hints', `${'<div class="note">'.repeat(240)}x`],
    ['tabs in tabs', `${'<div><ul role="tablist"><li role="tab">a</li></ul><div role="tabpanel">'.repeat(100)}x`],
    ['panels without tabs', `${'<div>'.repeat(200)}${'<p role="tabpanel">x</p>'.repeat(7500)}`],
    ['tabs without panels', `<ul role="tablist">${'<li role="tab">x</li>'.repeat(5000)}</ul><div role="tabpanel">`],
    [
      'five thousand lists of tabs without tabs',
      `${'<div role="tablist"></div>'.repeat(5000)}${'<div role="tabpanel">x</div>'.repeat(5000)}`,
    ],
    [
      '2,500 lists of one tab',
      `${'<div role="tablist"><a>x</a></div>'.repeat(2500)}${'<div role="tabpanel">x</div>'.repeat(2500)}`,
    ],
    ['elements of many classes', `<p class="${repeatText(60, (n) => `class-${n} `)}">x`.repeat(5000).slice(0, 5e6)],
    ['figures in figures without an image', `${'<figure><figcaption></figcaption>'.repeat(55)}<img>`],
    ['cards in cards', `${'<div class="card">'.repeat(240)}x`],
    ['five thousand cards', '<div class="card">x</div>'.repeat(5000)],
    ['frames in frames', `${'<div class="highlight">'.repeat(240)}${'<span></span>'.repeat(10_000)}<pre>x`],
    ['figures in figures', `${'<figure>'.repeat(240)}${'<figcaption>x</figcaption>'.repeat(5000)}`],
    [
      'five thousand footnotes',
      repeatText(5000, (n) => `<a href="#n${n}" class="footnote-ref">${n}</a><p id="n${n}">x</p>`),
    ],
    ['a footnote that refers to itself', '<p id="a">x<a href="#a" class="footnote-ref">1</a>'],
    ['five thousand headings with the same text', '<h2 id="b">a</h2>'.repeat(5000)],
    ['headings in parts', `${'<section id="a">'.repeat(240)}${'<h2>x</h2>'.repeat(5000)}`],
    ['formulas in formulas', `${'<span class="katex">'.repeat(240)}x`],
    ['pictographs', `<div class="note"><b>${'💡'.repeat(1e5)}</b>x`],
    ['spaces before metadata about the page', `<p>${' . '.repeat(1e5)}last updated`],
    ['emphasis in emphasis', `${'<em><b>'.repeat(50)}x`],
    ['lists of navigation in navigation', `${'<nav><ul>'.repeat(100)}${'<li><a href="/a">x</a>'.repeat(15_000)}`],
    ['five thousand paragraphs', '<p>x</p>'.repeat(5000)],
    ['five thousand links', '<a href="/x">y</a> '.repeat(5000)],
  ])('%s', (_, html) => {
    expect(read(html)).toHaveProperty('markdown');
  });

  test.each<[string, string, string]>([
    ['ten thousand levels', '<div>'.repeat(10_000), 'nested more than 250 elements'],
    ['150,000 levels', '<div>'.repeat(length), 'nested more than 250 elements'],
    ['tables nested 100,000 deep', '<table><tr><td>'.repeat(1e5), 'nested more than 250 elements'],
    ['six megabytes', 'a'.repeat(6 * 1024 * 1024), 'more than 5242880 characters'],
    ['150,000 line breaks', '<br>'.repeat(length), 'more than 100000 tags'],
    ['90,000 line breaks', '<br>'.repeat(90_000), 'more than 60000 elements'],
    ['a tag of 400,000 attributes', `<p ${repeatText(400_000, (n) => `a${n} `)}>`, 'more than 200 attributes'],
    ['a million attributes', `<p ${repeatText(150, (n) => `a${n} `)}>`.repeat(6000), 'too many attributes'],
    [
      'formatting that every paragraph reopens',
      repeatText(200, (n) => `<b id=${n}>`) + '<p>x'.repeat(40_000),
      'unclosed',
    ],
    [
      'cells over all columns',
      `<table>${'<tr><td colspan=1000 rowspan=60000>a</td></tr>'.repeat(5000)}`,
      'more than 20000 cells',
    ],
  ])('rejects %s', (_, html, message) => {
    expect(() => read(html)).toThrow(WebPageError);
    expect(() => read(html)).toThrow(message);
  });
});

describe('reads or rejects a hostile sitemap or robots.txt within seconds', () => {
  const isAllowedByRobots = (text: string): boolean =>
    runInLimitedTime(() =>
      readRobots(text, 'https://docs.example/robots.txt', 'Octavo').allows(`https://docs.example/${'a'.repeat(4000)}`),
    );

  test.each([
    ['spaces', ' '.repeat(length)],
    ['tag starts', '<'.repeat(1e5)],
    ['elements in elements', `<urlset>${'<a>'.repeat(length / 2)}`],
    ['attributes', `<urlset ${repeatText(20_000, (n) => `a${n}="" `)}>`],
    ['references', `<urlset><url><loc>${'&amp;'.repeat(length)}`],
    ['lines', 'https:\n'.repeat(length)],
  ])('%s', (_, text) => {
    let response: unknown;
    try {
      response = runInLimitedTime(() => readSitemap(text));
    } catch (error) {
      response = error;
    }
    if (response instanceof Error) expect(response).toBeInstanceOf(SitemapError);
    else expect(response).toEqual({ pages: [], sitemaps: [] });
    expect(isAllowedByRobots(text)).toBe(true);
    expect(isAllowedByRobots(`User-agent: *\nDisallow: /${text}`)).toEqual(expect.any(Boolean));
  });

  test('many wildcard rules', () => {
    expect(isAllowedByRobots(`User-agent: *\n${`Disallow: /${'*a'.repeat(200)}b\n`.repeat(2000)}`)).toBe(false);
  });
});
