import { describe, expect, test } from 'vitest';
import { readWebPage } from './read-web-page.ts';

const url = 'https://docs.example/guide/page.html';
const read = (html: string) => readWebPage(html, url);
const readMarkdown = (main: string): string => read(`<main>${main}</main>`).markdown;

const createCards = (...rows: string[]): string =>
  `<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
const createCard = (title: string, text: string, to = ''): string =>
  `<tr><td><strong>${title}</strong></td><td>${text}</td><td>${to && `<a href="${to}">${to}</a>`}</td></tr>`;
const getUrl = (name: string): string => `https://docs.example/${name}`;

describe('converts other components of site generators', () => {
  test.each<[what: string, html: string, written: string]>([
    [
      'steps of Starlight',
      '<ol role="list" class="sl-steps"><li><p>Do a</p></li><li><p>Do b</p><pre>c</pre></li></ol>',
      '{% stepper %}\n{% step %}\nDo a\n{% endstep %}\n\n{% step %}\nDo b\n\n```\nc\n```\n{% endstep %}\n{% endstepper %}',
    ],
    [
      'steps of Nextra',
      '<div class="nextra-steps"><h3 id="a">A</h3><p>x</p><h3 id="b">B</h3><p>y</p></div>',
      '{% stepper %}\n{% step %}\n### A\n\nx\n{% endstep %}\n\n{% step %}\n### B\n\ny\n{% endstep %}\n{% endstepper %}',
    ],
    [
      'cards of Starlight',
      '<div class="card-grid"><article class="card sl-flex"><p class="title sl-flex"><svg></svg><span>A</span></p><div class="body"><p>x &lt; y</p></div></article><article class="card"><p class="title">B</p><div class="body"><p>y</p></div></article></div>',
      createCards(createCard('A', 'x &lt; y'), createCard('B', 'y')),
    ],
    [
      'a link card of Starlight',
      '<div class="sl-link-card"><span class="sl-flex stack"><a href="/a"><span class="title">A</span></a><span class="description">x</span></span><svg></svg></div>',
      createCards(createCard('A', 'x', getUrl('a'))),
    ],
    [
      'cards of Docusaurus',
      '<section class="row"><article class="col col--6"><a class="card padding--lg cardContainer_fWXF" href="/a"><h2 class="text--truncate" title="A">A</h2><p class="text--truncate">x</p></a></article><article class="col col--6"><a class="card" href="/b"><h2>B</h2></a></article></section>',
      createCards(createCard('A', 'x', getUrl('a')), createCard('B', '', getUrl('b'))),
    ],
    [
      'cards with marks in their texts',
      '<div class="card"><p class="title"><b>A</b> <em>b</em></p><p>x <strong>y</strong><em> z</em> <code>a &lt; b</code></p></div>',
      createCards(createCard('A <em>b</em>', 'x <strong>y</strong> <em>z</em> <code>a &lt; b</code>')),
    ],
    [
      'cards in a card',
      '<div class="card"><h3>A</h3><div class="card"><h4>B</h4><p>x</p></div><div class="card"><h4>C</h4><p>y</p></div></div>',
      `### A\n\n${createCards(createCard('B', 'x'), createCard('C', 'y'))}`,
    ],
    [
      'a card with more content than cards support',
      '<div class="card"><h3 id="a">A</h3><ul><li>x</li></ul></div>',
      '### A\n\n- x',
    ],
    [
      'a card with a heading that links refer to',
      '<div class="card"><h2 id="install">Install</h2><p>x</p></div>',
      '## Install\n\nx',
    ],
    [
      'a card with two links, or with two images',
      '<div class="card"><p><a href="/a">A</a> <a href="/b">B</a></p></div><div class="card"><p><img src="/a.png" alt="a"><img src="/b.png" alt="b"></p></div>',
      '[A](https://docs.example/a) [B](https://docs.example/b)\n\n![a](https://docs.example/a.png)![b](https://docs.example/b.png)',
    ],
    [
      'a card with code, and one with a hint',
      '<div class="card"><p>Do <code>a</code></p></div><div class="card"><p>x</p><div class="admonition tip"><p>y</p></div></div>',
      `${createCards(createCard('Do <code>a</code>', ''))}\n\nx\n\n{% hint style="success" %}\ny\n{% endhint %}`,
    ],
    [
      'cards in a list',
      '<ul class="grid"><li><div class="card"><h3>A</h3><p>x</p></div></li> <li><a class="card" href="/b"><b>B</b></a></li></ul>',
      createCards(createCard('A', 'x'), createCard('B', '', getUrl('b'))),
    ],
    ['a list of cards and more', '<ul><li><div class="card"><b>A</b></div></li><li>b</li></ul>', '- **A**\n- b'],
    [
      'cards whose texts look like markup',
      '<div class="card"><b>{{ a }}</b><p>{% b %} {# c</p></div>',
      createCards(createCard('&#123;{ a }}', '&#123;% b %} &#123;# c')),
    ],
    [
      'tabs and panels by order, and by duplicate names',
      '<div role="tablist"><a>A</a><a>B</a></div><div role="tabpanel" id="n">a</div><div role="tabpanel">b</div><div role="tablist"><a href="#n">C</a></div><div role="tabpanel" id="n">c</div>',
      '{% tabs %}\n{% tab title="A" %}\na\n{% endtab %}\n\n{% tab title="B" %}\nb\n{% endtab %}\n{% endtabs %}\n\n{% tabs %}\n{% tab title="C" %}\nc\n{% endtab %}\n{% endtabs %}',
    ],
    [
      'code below a link',
      '<div class="highlight"><p><a href="/a.sh">Download the file</a></p><pre>x</pre></div>',
      '[Download the file](https://docs.example/a.sh)\n\n```\nx\n```',
    ],
    ['a figure of an image without an address', '<figure><img><figcaption>A <b>b</b></figcaption></figure>', 'A **b**'],
    [
      'text that only looks like a footnote, beside a footnote',
      '<p>a<a class="footnote-ref" href="#n">1</a></p><p class="footnote">b</p><div class="footnotes"><h2>Notes</h2><ol><li id="n">c</li></ol></div><div class="footnotes"><h2>More</h2><ol><li>d</li></ol></div>',
      'a[^1]\n\nb\n\n## More\n\n1. d\n\n[^1]: c',
    ],
    [
      'footnotes of GitHub',
      '<p>a<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref aria-describedby="footnote-label">1</a></sup></p><section data-footnotes class="footnotes"><h2 class="sr-only" id="footnote-label">Footnotes</h2><ol><li id="user-content-fn-1"><p>Said <b>below</b> <a href="#user-content-fnref-1" data-footnote-backref aria-label="Back" class="data-footnote-backref">↩</a></p></li></ol></section>',
      'a[^1]\n\n[^1]: Said **below**',
    ],
    [
      'footnotes of MkDocs',
      '<p>a<sup id="fnref:x"><a class="footnote-ref" href="#fn:x">1</a></sup></p><div class="footnote"><hr><ol><li id="fn:x"><p>b&nbsp;<a class="footnote-backref" href="#fnref:x" title="Jump back">↩</a></p></li></ol></div>',
      'a[^1]\n\n[^1]: b',
    ],
    [
      'footnotes of markdown-it',
      '<p>a<sup class="footnote-ref"><a href="#fn1" id="fnref1">[1]</a></sup> b<sup class="footnote-ref"><a href="#fn1" id="fnref1:1">[1:1]</a></sup></p><hr class="footnotes-sep"><section class="footnotes"><ol class="footnotes-list"><li id="fn1" class="footnote-item"><p>c <a href="#fnref1" class="footnote-backref">↩︎</a></p></li></ol></section>',
      'a[^1] b[^1]\n\n[^1]: c',
    ],
    [
      'footnotes of Sphinx',
      '<p>a <a class="footnote-reference brackets" href="#id2" id="id1" role="doc-noteref"><span class="fn-bracket">[</span>1<span class="fn-bracket">]</span></a></p><aside class="footnote-list brackets"><aside class="footnote brackets" id="id2" role="doc-footnote"><span class="label"><span class="fn-bracket">[</span><a role="doc-backlink" href="#id1">1</a><span class="fn-bracket">]</span></span><p>b</p></aside></aside>',
      'a [^1]\n\n[^1]: b',
    ],
    [
      'footnotes of mdBook',
      '<p>a<sup class="footnote-reference" id="fr-n-1"><a href="#footnote-n">1</a></sup></p><hr><ol class="footnote-definition"><li id="footnote-n"><p>b <a href="#fr-n-1">↩</a></p></li></ol>',
      'a[^1]\n\n***\n\n[^1]: b',
    ],
    [
      'an inline formula',
      '<p>a <span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>x</mi></mrow><annotation encoding="application/x-tex">x_1^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x</span></span> b</p>',
      'a $$x_1^2$$ b',
    ],
    [
      'a display formula',
      '<p>a<span class="katex-display"><span class="katex"><span class="katex-mathml"><math display="block"><semantics><mi>x</mi><annotation encoding="application/x-tex">\\frac{a}{b}</annotation></semantics></math></span></span></span></p>',
      'a\n\n$$\n\\frac{a}{b}\n$$',
    ],
    [
      'formulas of MkDocs',
      '<p>a <span class="arithmatex">\\(x\\)</span></p><div class="arithmatex">\\[y\\]</div>',
      'a $$x$$\n\n$$\ny\n$$',
    ],
    ['formulas of Sphinx', '<div class="math notranslate nohighlight">\\[y\\]</div>', '$$\ny\n$$'],
    ['a formula of MathJax 2', '<p>a<script type="math/tex; mode=display">y</script></p>', 'a\n\n$$\ny\n$$'],
    [
      'keys, superscript and subscript',
      '<p><kbd>Ctrl</kbd>+<kbd>C</kbd> H<sub>2</sub>O x<sup>2</sup> <mark>y</mark></p>',
      '<kbd>Ctrl</kbd>+<kbd>C</kbd> H<sub>2</sub>O x<sup>2</sup> <mark>y</mark>',
    ],
    [
      'tasks of MkDocs',
      '<ul class="task-list"><li class="task-list-item"><label class="task-list-control"><input type="checkbox" disabled checked><span class="task-list-indicator"></span></label> a</li></ul>',
      '- [x] a',
    ],
    [
      'terms with ids',
      '<dl><dt id="api.call">call()</dt><dd><p>x</p></dd></dl>',
      '- <a id="api.call"></a>**call()**\n\n  x',
    ],
    [
      'a figure of Sphinx',
      '<figure class="align-default" id="id1"><img alt="A" src="/a.png"><figcaption><p><span class="caption-text">Said</span><a class="headerlink" href="#id1">¶</a></p></figcaption></figure>',
      `![A](${getUrl('a.png')} "Said")`,
    ],
    [
      'a tree of files',
      '<starlight-file-tree><ul><li class="directory"><details open><summary><span class="tree-entry">src/</span></summary><ul><li class="file">a.ts</li></ul></details></li></ul></starlight-file-tree>',
      '- src/\n  - a.ts',
    ],
    ['badges', '<p>New <span class="VPBadge tip">1.2</span></p>', 'New 1.2'],
    [
      'metadata about the page',
      '<p>x</p><p><a href="/e">Edit this page on GitHub</a></p><div class="x">Last updated: <time>today</time></div><a href="/s">✏️ Suggest edits to this page</a>',
      'x',
    ],
    [
      'text that only looks like metadata',
      '<p>Edit this page of your wiki and save.</p><p>Last updates win.</p>',
      'Edit this page of your wiki and save.\n\nLast updates win.',
    ],
  ])('%s', (_, html, written) => {
    expect(readMarkdown(html)).toBe(written);
  });
});
