import { describe, expect, test } from 'vitest';
import { readWebPage } from './read-web-page.ts';

const url = 'https://docs.example/guide/page.html';
const read = (html: string) => readWebPage(html, url);
const readMarkdown = (main: string): string => read(`<main>${main}</main>`).markdown;

const createFence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;
const createTitled = (title: string, language: string, code: string): string =>
  `{% code title="${title}" %}\n${createFence(language, code)}\n{% endcode %}`;

describe('converts a code block with its code, language and title', () => {
  test.each<[generator: string, html: string, written: string]>([
    [
      'VitePress',
      `<div class="language-js line-numbers-mode"><button title="Copy Code" class="copy"></button><span class="lang">js</span>
       <pre class="shiki vp-code" tabindex="0"><code><span class="line"><span>let a;</span></span>
<span class="line diff add"><span>let b;</span></span>
<span class="line highlighted"><span>let c;</span></span></code></pre>
       <div class="line-numbers-wrapper" aria-hidden="true"><span class="line-number">1</span><br><span class="line-number">2</span><br></div></div>`,
      createFence('js', 'let a;\nlet b;\nlet c;'),
    ],
    [
      'VuePress',
      `<div class="language-ts extra-class" data-ext="ts"><div class="code-block-title-bar"><span class="title">a.ts</span></div>
       <pre class="language-ts"><code>let a</code></pre><div class="highlight-lines"><div class="highlighted">&nbsp;</div><br></div></div>`,
      createTitled('a.ts', 'ts', 'let a'),
    ],
    [
      'Docusaurus',
      `<div class="language-jsx codeBlockContainer_Ckt0 theme-code-block"><div class="codeBlockTitle_Ktv7">src/a.js</div>
       <div class="codeBlockContent_biex"><pre tabindex="0" class="prism-code language-jsx codeBlock_bY9V"><code class="codeBlockLines_e6Vv codeBlockLinesWithNumbering_o6Pm"><span class="token-line codeLine_lJS_"><span class="codeLineNumber_Tfdd"></span><span class="codeLineContent_feaV"><span class="token plain">let a;</span></span><br></span><span class="token-line codeLine_lJS_ theme-code-block-highlighted-line"><span class="codeLineNumber_Tfdd"></span><span class="codeLineContent_feaV">let b;</span><br></span></code></pre>
       <div class="buttonGroup__atx"><button type="button"><span class="buttonIncludeText">Copy</span></button></div></div></div>`,
      createTitled('src/a.js', 'jsx', 'let a;\nlet b;'),
    ],
    [
      'Starlight',
      `<div class="expressive-code"><link rel="stylesheet" href="/ec.css"><figure class="frame has-title not-content"><figcaption class="header"><span class="title">a.mjs</span><span class="sr-only">Terminal window</span></figcaption>
       <pre data-language="js"><code><div class="ec-line"><div class="gutter"><div class="ln" aria-hidden="true">1</div></div><div class="code"><span>let a;</span></div></div><div class="ec-line"><div class="code">
</div></div><div class="ec-line ins"><div class="code"><span class="indent">  </span>let b;</div></div></code></pre>
       <div class="copy"><div aria-live="polite"></div><button title="Copy to clipboard" data-code="x"><div></div></button></div></figure></div>`,
      createTitled('a.mjs', 'js', 'let a;\n\n  let b;'),
    ],
    [
      'Starlight, a terminal',
      `<div class="expressive-code"><figure class="frame is-terminal"><figcaption class="header"><span class="title"></span><span class="sr-only">Terminal window</span></figcaption><pre data-language="sh"><code><div class="ec-line"><div class="code">npm i</div></div></code></pre></figure></div>`,
      createFence('sh', 'npm i'),
    ],
    [
      'MkDocs Material',
      `<div class="language-py highlight"><span class="filename">a.py</span><nav class="md-code__nav"><button></button></nav><pre id="__code_0"><span></span><code><a id="__codelineno-0-1" name="__codelineno-0-1" href="#__codelineno-0-1"></a><span class="n">a</span> = 1
<span class="hll"><a id="__codelineno-0-2" href="#__codelineno-0-2"></a>b = 2
</span></code></pre></div>`,
      createTitled('a.py', 'py', 'a = 1\nb = 2'),
    ],
    [
      'MkDocs Material with numbers',
      `<div class="language-py highlight"><table class="highlighttable"><tbody><tr><th colspan="2" class="filename"><span class="filename">a.py</span></th></tr><tr><td class="linenos"><div class="linenodiv"><pre><span></span><span class="normal">1</span></pre></div></td><td class="code"><div><pre><span></span><code>a = 1
</code></pre></div></td></tr></tbody></table></div>`,
      createTitled('a.py', 'py', 'a = 1'),
    ],
    [
      'Sphinx',
      `<div class="literal-block-wrapper docutils container" id="id1"><div class="code-block-caption"><span class="caption-text">a.py</span><a class="headerlink" href="#id1">¶</a></div><div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="linenos">1</span>a <span class="o">=</span> 1
</pre></div></div></div>`,
      createTitled('a.py', 'python', 'a = 1'),
    ],
    [
      'mdBook',
      `<pre><pre class="playground"><div class="buttons"><button class="fa fa-copy clip-button"><i class="tooltiptext"></i></button></div><code class="language-rust edition2024"><span class="boring">fn main() {
</span>let a;
<span class="boring">}</span></code></pre></pre>`,
      createFence('rust', 'let a;'),
    ],
    [
      'GitHub',
      `<div class="highlight highlight-source-shell notranslate position-relative"><pre>npm i</pre><div class="zeroclipboard-container"><clipboard-copy aria-label="Copy" class="ClipboardButton" value="npm i"><svg></svg></clipboard-copy></div></div>`,
      createFence('shell', 'npm i'),
    ],
    [
      'GitBook',
      `<div class="group/codeblock grid"><div class="flex"><div class="inline-flex">a.ts</div></div><button class="z-2">Copy</button><pre class="relative"><code id="c"><span class="highlight-line"><span class="highlight-line-number"></span><span class="highlight-line-content">let a;
</span></span><span class="highlight-line highlighted"><span class="highlight-line-number"></span><span class="highlight-line-content">let b;</span></span></code></pre></div>`,
      createTitled('a.ts', '', 'let a;\nlet b;'),
    ],
    [
      'Nextra',
      `<div class="nextra-code"><div class="x:px-4"><svg></svg><span>a.ts</span></div><pre tabindex="0" data-language="ts"><code class="nextra-code" dir="ltr"><span><span style="color:red">let a</span></span></code></pre><div class="x:opacity-0"><button title="Copy code"><svg></svg></button></div></div>`,
      createTitled('a.ts', 'ts', 'let a'),
    ],
    [
      'rehype-pretty-code',
      `<figure data-rehype-pretty-code-figure=""><figcaption data-rehype-pretty-code-title="">a.ts</figcaption><pre data-language="ts"><code data-language="ts" style="display:grid"><span class="line"></span><span class="line">let a</span></code></pre></figure>`,
      createTitled('a.ts', 'ts', '\nlet a'),
    ],
    [
      'Hugo',
      `<div class="highlight"><div class="chroma"><table class="lntable"><tbody><tr><td class="lntd"><pre class="chroma"><code><span class="lnt">1</span></code></pre></td><td class="lntd"><pre class="chroma"><code class="language-go" data-lang="go"><span class="line"><span class="cl">a
</span></span></code></pre></td></tr></tbody></table></div></div>`,
      createFence('go', 'a'),
    ],
    [
      'an unknown generator',
      `<div class="x1"><div class="x2"><span>JavaScript</span><button>Copy</button></div><pre class="language-js"><code>a</code></pre></div>`,
      createFence('js', 'a'),
    ],
    ['a drawing', '<pre class="mermaid"><code>graph TD</code></pre>', createFence('mermaid', 'graph TD')],
    ['a drawing of plain lines', '<div class="mermaid">graph TD</div>', createFence('mermaid', 'graph TD')],
  ])('of %s', (_, html, written) => {
    expect(readMarkdown(`<p>Before</p>${html}<p>After</p>`)).toBe(`Before\n\n${written}\n\nAfter`);
  });

  test('keeps the text before the code', () => {
    expect(readMarkdown('<div><p>Run this</p><pre>a</pre></div>')).toBe('Run this\n\n```\na\n```');
    expect(readMarkdown('<div><span>Run this:</span><pre>a</pre></div>')).toBe('Run this:\n\n```\na\n```');
    expect(readMarkdown('<div>Run this<pre>a</pre></div>')).toBe('Run this\n\n```\na\n```');
  });
});

const createTabs = (...each: [title: string, text: string][]): string =>
  `{% tabs %}\n${each.map(([title, text]) => `{% tab title="${title}" %}\n${text}\n{% endtab %}`).join('\n\n')}\n{% endtabs %}`;

describe('converts tabs', () => {
  test.each<[generator: string, html: string, written: string]>([
    [
      'VitePress',
      `<div class="vp-code-group"><div class="tabs"><input type="radio" name="g" id="t1" checked><label data-title="npm" for="t1">npm</label><input type="radio" name="g" id="t2"><label data-title="pnpm" for="t2">pnpm</label></div><div class="blocks">
       <div class="language-sh active"><span class="lang">sh</span><pre><code>npm i</code></pre></div><div class="language-sh"><span class="lang">sh</span><pre><code>pnpm i</code></pre></div></div></div>`,
      createTabs(['npm', createFence('sh', 'npm i')], ['pnpm', createFence('sh', 'pnpm i')]),
    ],
    [
      'Docusaurus',
      `<div class="theme-tabs-container tabs-container tabList__CuJ"><ul role="tablist" class="tabs"><li role="tab" class="tabs__item tabs__item--active">One</li><li role="tab" class="tabs__item">Two</li></ul><div class="margin-top--md"><div role="tabpanel" class="tabItem_Ymn6"><p>a</p></div><div role="tabpanel" class="tabItem_Ymn6" hidden=""><p>b</p></div></div></div>`,
      createTabs(['One', 'a'], ['Two', 'b']),
    ],
    [
      'Starlight',
      `<starlight-tabs><div class="tablist-wrapper not-content"><ul role="tablist"><li role="presentation" class="tab"><a role="tab" href="#tab-panel-1" id="tab-1">One</a></li><li role="presentation" class="tab"><a role="tab" href="#tab-panel-2" id="tab-2">Say "two"</a></li></ul></div>
       <div id="tab-panel-2" aria-labelledby="tab-2" role="tabpanel" hidden><p>b</p></div><div id="tab-panel-1" aria-labelledby="tab-1" role="tabpanel"><p>a</p></div></starlight-tabs>`,
      createTabs(['One', 'a'], ['Say \\"two\\"', 'b']),
    ],
    [
      'MkDocs Material',
      `<div class="tabbed-set tabbed-alternate" data-tabs="1:2"><input checked id="__tabbed_1_1" type="radio"><input id="__tabbed_1_2" type="radio"><div class="tabbed-labels"><label for="__tabbed_1_1">One</label><label for="__tabbed_1_2">Two</label></div><div class="tabbed-content"><div class="tabbed-block"><p>a</p></div><div class="tabbed-block"><p>b</p></div></div></div>`,
      createTabs(['One', 'a'], ['Two', 'b']),
    ],
    [
      'MkDocs, older',
      `<div class="tabbed-set" data-tabs="1:2"><input checked id="a" type="radio"><label for="a">One</label><div class="tabbed-content"><p>a</p></div><input id="b" type="radio"><label for="b">Two</label><div class="tabbed-content"><p>b</p></div></div>`,
      createTabs(['One', 'a'], ['Two', 'b']),
    ],
    [
      'Sphinx',
      `<div class="sd-tab-set docutils"><input checked id="sd-1" type="radio"><label class="sd-tab-label" for="sd-1">One</label><div class="sd-tab-content docutils"><p>a</p></div><input id="sd-2" type="radio"><label class="sd-tab-label" for="sd-2">Two</label><div class="sd-tab-content docutils"><p>b</p></div></div>`,
      createTabs(['One', 'a'], ['Two', 'b']),
    ],
    [
      'GitBook',
      `<div class="rounded-lg"><div role="tablist" class="flex"><button role="tab" id="tab-1" aria-controls="panel-1">One</button><button role="tab" id="tab-2" aria-controls="panel-2">Two</button></div><div role="tabpanel" id="panel-1" aria-labelledby="tab-1"><p>a</p></div><div role="tabpanel" id="panel-2" aria-labelledby="tab-2" class="hidden"><p>b</p></div></div>`,
      createTabs(['One', 'a'], ['Two', 'b']),
    ],
    [
      'Docsy',
      `<ul class="nav nav-tabs" role="tablist"><li class="nav-item"><button class="nav-link active" data-bs-target="#t-0" role="tab" aria-controls="t-0">One</button></li></ul><div class="tab-content"><div class="tab-body tab-pane fade show active" id="t-0" role="tabpanel"><p>a</p></div></div>`,
      createTabs(['One', 'a']),
    ],
  ])('of %s', (_, html, written) => {
    expect(readMarkdown(`<p>Before</p>${html}<p>After</p>`)).toBe(`Before\n\n${written}\n\nAfter`);
  });

  test('nested tabs, and panels without a tab', () => {
    const inner = '<div><ul role="tablist"><li role="tab">In</li></ul><div role="tabpanel"><p>a</p></div></div>';
    const html = `<ul role="tablist"><li role="tab">Out</li></ul><div role="tabpanel">${inner}</div><div role="tabpanel"><p>left</p></div>`;
    expect(readMarkdown(html)).toBe(
      `${createTabs(['Out', createTabs(['In', 'a'])]).replace('"Out" %}\n', '"Out" %}\n')}\n\nleft`,
    );
  });
});
