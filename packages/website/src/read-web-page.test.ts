import { describe, expect, test } from 'vitest';
import { readWebPage } from './read-web-page.ts';

const url = 'https://docs.example/guide/page.html';
const read = (html: string) => readWebPage(html, url);
const readMarkdown = (main: string): string => read(`<main>${main}</main>`).markdown;

describe('main text', () => {
  test.each([
    '<main>',
    '<div role="main">',
    '<article>',
    '<div id="content">',
    '<div class="markdown-body">',
    '<div class="page content">',
    '<section><div><div>',
  ])('is found in %s, without the surrounding page', (open) => {
    const around = '<ul><li><a href="/a">Menu entry</a></li></ul>';
    const html = `<body><header>Site head</header><nav>${around}</nav><div class="sidebar">${around}</div>
      ${open}<div class="breadcrumbs">Home / Guide</div><h1>Title <a class="headerlink" href="#title">¶</a></h1>
      <div class="toc"><a href="#a">On this page</a></div><p>The first words.</p><h2>Part<a href="#part">#</a></h2>
      <p>More words.</p><button>Copy</button><svg><title>Icon</title></svg><script>bad()</script>
      <template><p>never</p></template><a class="edit-page" href="/edit">Edit this page</a>
      <nav class="pagination"><a href="/next">Next</a></nav><footer>Foot</footer></div></div></article></main>
      <aside>Beside</aside><div class="cookie-banner">We use cookies</div><footer>Site foot</footer></body>`;
    expect(read(html)).toMatchObject({ title: 'Title', markdown: 'The first words.\n\n## Part\n\nMore words.' });
  });

  test('is the block with the most text if no element marks it', () => {
    const html = `<body><div><a href="/x">Menu</a></div><div><div><p>${'Words here. '.repeat(20)}</p></div></div></body>`;
    expect(read(html).markdown).toBe('Words here. '.repeat(20).trim());
  });

  test('omits hidden elements, except tab panels', () => {
    expect(
      readMarkdown(
        '<p hidden>a</p><p style="display: none">b</p><p aria-hidden="true">c</p><div role="tabpanel" hidden><p>d</p></div>',
      ),
    ).toBe('d');
  });

  test('moves spaces out of emphasis, and drops empty emphasis', () => {
    expect(readMarkdown('<p>a<b> bold </b>c<em></em> <code>x</code><del>y</del></p>')).toBe('a **bold** c `x`~~y~~');
    expect(readMarkdown('<p><b>a <b>b</b></b></p>')).toBe('**a b**');
  });

  test('a rule at the start does not open frontmatter', () => {
    expect(readMarkdown('<hr><p>title: x</p><hr><p>---</p>')).toBe('***\n\ntitle: x\n\n***\n\n\\---');
  });

  test('escapes text that looks like Octavo blocks', () => {
    expect(readMarkdown('<p>{% hint style="x" %}</p>')).toBe('\\{% hint style="x" %}');
    expect(readMarkdown('<octavo-hint style="x"><p>a</p></octavo-hint>')).toBe('a');
  });
});

describe('title', () => {
  test.each([
    ['<title>Page | Site</title><main><p>x', 'Page'],
    ['<title>Page - Part - Site</title><main><p>x', 'Page'],
    ['<meta property="og:site_name" content="Site"><title>Site: a guide | Page | Site</title><p>x', 'Site: a guide'],
    [
      '<title>Other</title><main><h1>  The\n <code>heading</code> <span class="badge">new</span></h1><p>x',
      'The heading',
    ],
    ['<title>Other</title><h1>Before</h1><main><p>x', 'Before'],
    ['<title>well-known — Site</title><p>x', 'well-known'],
    ['<p>x', ''],
  ])('%s results in %j', (html, title) => {
    expect(read(html)).toMatchObject({ title, markdown: 'x' });
  });
});

describe('code blocks', () => {
  test.each([
    ['<pre><code class="language-js">a</code></pre>', 'js'],
    ['<pre class="lang-C++"><code>a</code></pre>', 'c++'],
    ['<div class="highlight highlight-source-shell"><pre>a</pre></div>', 'shell'],
    ['<div class="highlight-python notranslate"><div class="highlight"><pre>a</pre></div></div>', 'python'],
    ['<pre><code data-lang="go">a</code></pre>', 'go'],
    ['<pre class="prettyprint lang-rb">a</pre>', 'rb'],
    ['<pre><code class="hljs typescript">a</code></pre>', 'typescript'],
    ['<div class="sourceCode"><pre class="sourceCode haskell"><code>a</code></pre></div>', 'haskell'],
    ['<pre class="brush: php; toolbar: false">a</pre>', 'php'],
    ['<pre><code class="language-text">a</code></pre>', ''],
    ['<pre>a</pre>', ''],
  ])('%s has the language %j', (html, language) => {
    expect(readMarkdown(html)).toBe(`\`\`\`${language}\na\n\`\`\``);
  });

  test('keeps the exact text, whatever highlights it', () => {
    const html = '<pre><code><span class="k">if</span> (a &lt; b) {\n\n\t<span>  x</span>;  \n}\n</code></pre>';
    expect(readMarkdown(html)).toBe('```\nif (a < b) {\n\n\t  x;  \n}\n```');
    expect(readMarkdown('<pre>```\na\n```</pre>')).toBe('````\n```\na\n```\n````');
  });

  test.each([
    '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre>a\nb</pre></td></tr></table>',
    '<pre><code><span class="line-number">1</span>a\n<span class="lineno">2</span>b</code></pre>',
    '<pre><code><div class="line">a</div><div class="line">b</div></code></pre>',
    '<pre><code><span class="token-line">a<br></span><span class="token-line">b<br></span></code></pre>',
    '<pre><button>Copy</button><code>a\nb</code></pre>',
  ])('%s becomes two lines without line numbers', (html) => {
    expect(readMarkdown(html)).toBe('```\na\nb\n```');
  });
});

describe('tables', () => {
  test('have a header, alignment, pipes and blocks in cells', () => {
    const html = `<table><thead><tr><th>A</th><th align="right">B</th></tr></thead>
      <tr><td><p>one</p><p>two</p></td><td><code>x|y</code></td></tr>
      <tr><td><ul><li>a</li><li>b</li></ul></td><td><pre>c\nd</pre></td></tr></table>`;
    expect(readMarkdown(html)).toBe('| A | B |\n| - | -: |\n| one<br>two | `x\\|y` |\n| • a<br>• b | `c`<br>`d` |');
  });

  test('cells that span columns or rows leave empty cells', () => {
    const html =
      '<table><tr><th colspan="2">A</th></tr><tr><td rowspan="2">1</td><td>2</td></tr><tr><td>3</td></tr></table>';
    expect(readMarkdown(html)).toBe('| A | |\n| - | - |\n| 1 | 2 |\n| | 3 |');
  });

  test('a table without a header gets an empty header, and a table of one cell is not a table', () => {
    expect(readMarkdown('<table><tr><td>a</td><td>b</td></tr></table>')).toBe('| | |\n| - | - |\n| a | b |');
    expect(readMarkdown('<table role="presentation"><tr><td><h2>a</h2><p>b</p></td></tr></table>')).toBe('## a\n\nb');
  });
});

describe('blocks', () => {
  test.each([
    ['<div class="admonition note"><p class="admonition-title">Note</p><p>x</p></div>', 'info'],
    ['<div class="markdown-alert markdown-alert-tip"><p class="markdown-alert-title">Tip</p><p>x</p></div>', 'success'],
    ['<aside class="starlight-aside starlight-aside--caution"><p>x</p></aside>', 'warning'],
    ['<div class="alert alert-danger" role="alert">x</div>', 'danger'],
    ['<blockquote class="warning"><p>x</p></blockquote>', 'warning'],
    ['<div class="custom-block danger"><p class="custom-block-title">DANGER</p><p>x</p></div>', 'danger'],
    [
      '<div class="theme-admonition theme-admonition-info alert alert--secondary"><div class="admonitionHeading_x">info</div><p>x</p></div>',
      'info',
    ],
  ])('%s is a hint', (html, style) => {
    expect(readMarkdown(html)).toBe(`{% hint style="${style}" %}\nx\n{% endhint %}`);
  });

  test('a hint keeps its title and blocks', () => {
    const html = '<div class="admonition tip"><p class="admonition-title">Did you know</p><ul><li>a</li></ul></div>';
    expect(readMarkdown(html)).toBe('{% hint style="success" %}\n**Did you know**\n\n- a\n\n{% endhint %}');
  });

  test('converts lists, tasks, quotes, definition lists and details', () => {
    expect(readMarkdown('<ol start="3"><li>a<ul><li>b</li></ul></li><li>c</li></ol>')).toBe('3. a\n   - b\n4. c');
    expect(readMarkdown('<ul><li><input type="checkbox" checked> a</li><li><input type="checkbox"> b</li></ul>')).toBe(
      '- [x] a\n- [ ] b',
    );
    expect(readMarkdown('<blockquote><p>a</p><p>b</p></blockquote>')).toBe('> a\n>\n> b');
    expect(readMarkdown('<dl><dt>Term</dt><dd>What it means</dd><dt>Other</dt><dd>More</dd></dl>')).toBe(
      '- **Term**\n\n  What it means\n\n- **Other**\n\n  More',
    );
    expect(readMarkdown('<details><summary>More &lt;here&gt;</summary><p>x</p></details>')).toBe(
      '<details>\n\n<summary>More &lt;here&gt;</summary>\n\nx\n\n</details>',
    );
  });

  test('uses the largest source, the lazy-loaded source and the caption of an image', () => {
    const page =
      read(`<main><figure><img src="/s.png" srcset="s.png 1x, l.png 2x" alt="A"><figcaption>Said <b>below</b></figcaption></figure>
      <p><img src="data:image/gif;base64,AA" data-src="../lazy.png" alt="B"><img src="data:image/png;base64,AA"></p>
      <picture><source srcset="w.webp 800w, x.webp 1600w"><img alt="C"></picture></main>`);
    expect(page.images).toEqual([
      'https://docs.example/guide/l.png',
      'https://docs.example/lazy.png',
      'https://docs.example/guide/x.webp',
    ]);
    expect(page.markdown).toBe(
      '![A](https://docs.example/guide/l.png "Said below")\n\n![B](https://docs.example/lazy.png)\n\n![C](https://docs.example/guide/x.webp)',
    );
  });

  test('converts videos and frames to embeds of their web URLs', () => {
    expect(
      readMarkdown('<iframe src="https://v.example/1?a={%22%}"></iframe><video><source src="/v.mp4"></video>'),
    ).toBe('{% embed url="https://v.example/1?a=%7B%22%%7D" %}\n\n{% embed url="https://docs.example/v.mp4" %}');
    expect(
      readMarkdown('<p>x</p><iframe src="javascript:alert(1)"></iframe><iframe src="data:text/html,x"></iframe>'),
    ).toBe('x');
  });
});
