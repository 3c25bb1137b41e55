import { describe, expect, test } from 'vitest';
import { readWebPage } from './read-web-page.ts';

const url = 'https://docs.example/guide/page.html';
const read = (html: string) => readWebPage(html, url);
const readMarkdown = (main: string): string => read(`<main>${main}</main>`).markdown;

const createHint = (style: string, text: string): string => `{% hint style="${style}" %}\n${text}\n{% endhint %}`;

describe('admonitions', () => {
  test.each<[generator: string, html: string, written: string]>([
    [
      'VitePress',
      '<div class="tip custom-block"><p class="custom-block-title">Good to know</p><p>x</p></div>',
      createHint('success', '**Good to know**\n\nx'),
    ],
    [
      'VitePress, for GitHub',
      '<div class="caution custom-block github-alert"><p class="custom-block-title">CAUTION</p><p>x</p></div>',
      createHint('warning', 'x'),
    ],
    [
      'Docusaurus',
      `<div class="theme-admonition theme-admonition-tip admonition_xJq3 alert alert--success"><div class="admonitionHeading_Gvgb"><span class="admonitionIcon_Rf37"><svg></svg></span>My tip</div><div class="admonitionContent_BuS1"><p>x</p></div></div>`,
      createHint('success', '**My tip**\n\nx'),
    ],
    [
      'Starlight',
      `<aside aria-label="Danger" class="starlight-aside starlight-aside--danger"><p class="starlight-aside__title" aria-hidden="true"><svg></svg>Danger</p><div class="starlight-aside__content"><p>x</p></div></aside>`,
      createHint('danger', 'x'),
    ],
    [
      'MkDocs',
      '<div class="admonition warning"><p class="admonition-title">Watch out</p><p>x</p></div>',
      createHint('warning', '**Watch out**\n\nx'),
    ],
    [
      'MkDocs, closed',
      '<details class="note"><summary>Watch out</summary><p>x</p></details>',
      '<details>\n\n<summary>Watch out</summary>\n\nx\n\n</details>',
    ],
    [
      'GitHub',
      '<div class="markdown-alert markdown-alert-caution" dir="auto"><p class="markdown-alert-title" dir="auto"><svg></svg>Caution</p><p>x</p></div>',
      createHint('danger', 'x'),
    ],
    [
      'GitBook',
      '<div class="hint transition-colors rounded-md bg-danger border-danger grid"><div class="py-4 text-danger"><svg></svg></div><div class="p-4"><p>x</p></div></div>',
      createHint('danger', 'x'),
    ],
    [
      'Sphinx',
      '<div class="admonition-my-title admonition"><p class="admonition-title">My title</p><p>x</p></div>',
      createHint('info', '**My title**\n\nx'),
    ],
    [
      'mdBook',
      '<blockquote class="blockquote-tag blockquote-tag-warning"><p class="blockquote-tag-title"><svg></svg>Warning</p><p>x</p></blockquote>',
      createHint('warning', 'x'),
    ],
    [
      'Docsy',
      '<div class="alert alert-danger" role="alert"><div class="h4 alert-heading" role="heading">Stop</div><p>x</p></div>',
      createHint('danger', '**Stop**\n\nx'),
    ],
    ['Hugo Book', '<blockquote class="book-hint warning"><p>x</p></blockquote>', createHint('warning', 'x')],
    [
      'Nextra',
      '<div class="nextra-callout x:flex x:border x:bg-red-100"><div class="x:select-none">🚫</div><div class="x:w-full"><p>x</p></div></div>',
      createHint('danger', 'x'),
    ],
    [
      'Antora',
      '<div class="admonitionblock tip"><table><tbody><tr><td class="icon"><i class="fa icon-tip" title="Tip"></i></td><td class="content"><p>x</p></td></tr></tbody></table></div>',
      createHint('success', 'x'),
    ],
    [
      'ReadMe',
      '<blockquote class="callout callout_warn"><h3 class="callout-heading">Mind</h3><p>x</p></blockquote>',
      createHint('warning', '**Mind**\n\nx'),
    ],
  ])('of %s', (_, html, written) => {
    expect(readMarkdown(`<p>Before</p>${html}<p>After</p>`)).toBe(`Before\n\n${written}\n\nAfter`);
  });
});

describe('headings keep their IDs and lose their marks', () => {
  test.each<[generator: string, html: string, written: string]>([
    [
      'VitePress',
      '<h2 id="my-part" tabindex="-1">My part <a class="header-anchor" href="#my-part" aria-label="Permalink to &quot;My part&quot;">&ZeroWidthSpace;</a></h2>',
      '## My part',
    ],
    [
      'Docusaurus',
      '<h2 class="anchor anchorWithStickyNavbar_LWe7" id="own">My part<a href="#own" class="hash-link" aria-label="Direct link to My part">​</a></h2>',
      '## My part {#own}',
    ],
    [
      'Starlight',
      '<div class="sl-heading-wrapper level-h2"><h2 id="own_id">My part</h2><a class="sl-anchor-link" href="#own_id"><span aria-hidden="true"><svg></svg></span><span class="sr-only">Section titled “My part”</span></a></div>',
      '## My part {#own_id}',
    ],
    [
      'MkDocs',
      '<h2 id="own">My part<a class="headerlink" href="#own" title="Permanent link">¶</a></h2>',
      '## My part {#own}',
    ],
    [
      'Sphinx',
      '<section id="own"><h2>My part<a class="headerlink" href="#own" title="Link to this heading">¶</a></h2><p>x</p></section>',
      '## My part {#own}\n\nx',
    ],
    ['Sphinx, older', '<div class="section" id="own"><h2>My part</h2></div>', '## My part {#own}'],
    [
      'Sphinx with a label',
      '<section id="own"><span id="label"></span><h2>My part<a class="headerlink" href="#own">¶</a></h2></section>',
      '<a id="label"></a>\n\n## My part {#own}',
    ],
    ['mdBook', '<h2 id="own"><a class="header" href="#own">My part</a></h2>', '## My part {#own}'],
    [
      'GitHub',
      '<div class="markdown-heading"><h2 class="heading-element">Node.js</h2><a id="user-content-nodejs" class="anchor" aria-label="Permalink: Node.js" href="#nodejs"><svg></svg></a></div>',
      '## Node.js',
    ],
    [
      'Nextra',
      '<h2>My part<a href="#own" id="own" class="subheading-anchor" aria-label="Permalink for this section"></a></h2>',
      '## My part {#own}',
    ],
    [
      'Docsy',
      '<h2 id="own">My part<a class="td-heading-self-link" href="#own" aria-label="Heading self-link"></a></h2>',
      '## My part {#own}',
    ],
    [
      'GitBook',
      '<h2 id="own" class="heading"><div class="grid"><a href="#own" aria-label="Direct link to heading"><svg></svg></a></div><div class="flex-1">My part</div></h2>',
      '## My part {#own}',
    ],
    ['hand', '<h2><a name="own"></a>My part</h2>', '## My part {#own}'],
    [
      'two with the same text',
      '<h2 id="a">A</h2><h2 id="a-1">A</h2><h2 id="a_2">A</h2>',
      '## A\n\n## A\n\n## A {#a_2}',
    ],
    ['an id that links cannot contain', '<h2 id="a b}">A</h2>', '## A'],
    ['a text that looks like an id', '<h2 id="a-x">A {#x}</h2>', '## A \\{#x}'],
  ])('%s', (_, html, written) => {
    expect(readMarkdown(`<p>Before</p>${html}`)).toBe(`Before\n\n${written}`);
  });
});
