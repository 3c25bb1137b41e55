import { expect, test } from 'vitest';
import { publishText } from '../../../../test/support/shown-text.ts';
import { getLinks, rewriteTargets } from '../links/find-links.ts';
import { getSections } from '../sections.ts';
import { parseTree, renderTree } from './parse-tree.ts';
import { getPlainText } from './published-nodes.ts';
import { publishTree } from './published-tree.ts';

test.each([
  ['[a]({{< ref "p.md" >}})', 'p.md'],
  ['[a]({{% relref "p.md#x" %}} "title")', 'p.md#x'],
  ['![a]({{ site.baseurl }}/p.png)', '/p.png'],
  ['![a]({{ "/p.png" | relative_url }})', '/p.png'],
  ['[a]({% link docs/p.md %}#x)', '/docs/p.md#x'],
  ['[a]({{ site.baseurl }}{% link docs/p.md %})', '/docs/p.md'],
  ['{{< figure src="p.png" >}}', 'p.png'],
  ['<iframe src="https://a.b/p"></iframe>', 'https://a.b/p'],
  ["<ThemedImage sources={{light: useBaseUrl('p.png')}} />", 'p.png'],
  ['{{< button relref="p.md" >}}a{{< /button >}}', 'p.md'],
])('an address in a template is a link: %s', (markdown, target) => {
  expect(getLinks(`${markdown}\n`).map((link) => link.target)).toEqual([target]);
  expect(JSON.stringify(publishText(`${markdown}\n`))).toContain(`"url":"${target}"`);
  expect(getLinks(rewriteTargets(`${markdown}\n`, () => '/q')).map((link) => link.target)).toEqual(['/q']);
  expect(JSON.stringify(getSections(`${markdown}\n`))).not.toMatch(/\{\{.*ref|\{%|site\./);
});

test.each([
  '[a]({{ site.x }})',
  '[a]({{< other "p.md" >}})',
  '{% comment %}\n{% if visitor.claims.a %}\n{% endcomment %}',
])('%j is neither an address nor a comment', (markdown) => {
  expect(getPlainText(publishText(`${markdown}\n`))).not.toBe('');
  expect(getLinks(markdown)).toEqual([]);
});

test('escapes text that looks like a template', () => {
  for (const words of [
    'a\n: b',
    'a^b^',
    '{++a++}',
    '{>>a<<}',
    '{~~a~>b~~}',
    '==a==',
    '++a+b++',
    'a{: .b }',
    '{:toc}',
    'x `y`{.z}',
  ]) {
    const leaf = { object: 'leaf' as const, text: words, marks: [] };
    const written = renderTree({
      object: 'document',
      data: {},
      nodes: [
        { object: 'block', type: 'paragraph', data: {}, isVoid: false, nodes: [{ object: 'text', leaves: [leaf] }] },
      ],
    });
    expect(getPlainText(parseTree(written).nodes), written).toBe(words);
  }
});

test.each<[name: string, markdown: string]>([
  ['lists', '<ul><li>'.repeat(5_000)],
  ['tables', '<table><tr><td>'.repeat(3_000)],
  ['code', '<pre>'.repeat(10_000)],
  ['heads', '<head>'.repeat(10_000)],
  ['ends', '</li>'.repeat(10_000)],
  ['attributes', `a${'{: .b'.repeat(10_000)}`],
  ['more attributes', `[a](b){${'.c '.repeat(20_000)}`],
  ['keys', '++a'.repeat(20_000)],
  ['marks', '==a '.repeat(20_000)],
  ['references', '[a]({{< ref "'.repeat(5_000)],
  ['baseurls', '[a]({{ site.baseurl }}'.repeat(5_000)],
  ['figures', '{{< figure src="\n'.repeat(4_000)],
  ['tabs on one line', '{{< tab >}}\n'.repeat(4_000)],
  ['containers', ':::row\n'.repeat(5_000)],
  ['classes', '{: .note }\n'.repeat(5_000)],
  ['notes', '[^1]: a\n    b\n'.repeat(3_000)],
  ['comments', '{% comment %}\n'.repeat(4_000)],
  ['terms', 'a\n: b\n'.repeat(5_000)],
  [
    'terms in terms',
    Array.from({ length: 300 }, (_, at) => `${'    '.repeat(at)}a\n${'    '.repeat(at)}:   b\n`).join(''),
  ],
  ['definitions', `a\n${': '.repeat(20_000)}`],
  ['edits', '{++a'.repeat(20_000)],
  ['superscript', 'a^b'.repeat(20_000)],
  ['themes', `<ThemedImage sources={{${'light: '.repeat(3_000)}`.repeat(10)],
  ['buttons', '{{< button href="a" >}}'.repeat(4_000)],
  ['code components', '<Code code={`\n'.repeat(3_000)],
])('rendering %s takes limited time', (_name, markdown) => {
  const start = process.threadCpuUsage();
  publishTree(parseTree(markdown), { includes: () => undefined });
  getSections(markdown);
  const { user, system } = process.threadCpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(5_000);
});
