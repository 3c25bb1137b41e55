import { expect, test } from 'vitest';
import { publishText } from '../../../../test/support/shown-text.ts';
import { findConditionalLinks } from '../links/conditional-links.ts';
import { getLinks, rewriteTargets } from '../links/find-links.ts';
import { getSections } from '../sections.ts';
import { evaluateTree } from './evaluate-tree.ts';
import { parseInPieces, parseTree, renderTree } from './parse-tree.ts';
import { getPlainText } from './published-nodes.ts';
import { publishTree } from './published-tree.ts';

const scope = { space: { vars: {} }, page: { vars: {} }, visitor: { claims: {} } };
const evaluation = { scope, findTarget: () => undefined, contents: new Map() };
const publishing = { includes: () => undefined };

/** Returns the text as members, readers of evaluated content, visitors and search see it. */
function renderForEachReader(markdown: string): string[] {
  const tree = parseTree(markdown);
  const trees = [tree, ...[false, true].map((isStrict) => evaluateTree(tree, { ...evaluation, isStrict }))];
  const nodes = [publishText(markdown), ...trees.map((each) => publishTree(each, publishing).nodes)];
  const free = getSections(markdown).filter(({ conditions }) => conditions === undefined);
  const joinWords = (text: string) => text.replace(/\s+/g, ' ').trim();
  return [
    ...nodes.map((each) => joinWords(each.map((node) => getPlainText([node])).join(' '))),
    joinWords(free.map(({ text }) => text).join(' ')),
  ];
}

test.each<[markdown: string, words: string]>([
  ['{% if site.x %}\n\na\n\n{% endif %}\n\nb\n', 'a b'],
  ['{%- if page.title == "visit" -%}\na\n{%- elsif site.y -%}\nb\n{%- else -%}\nc\n{%- endif -%}\n', 'a b c'],
  ['{% if site.x %}a {% else %}b {% endif %} c\n', 'a b c'],
  ['* {% if include.x %}\n  a\n  {% endif %}\n* b\n', 'a'],
  ['> {% if layout.x %}\n> a\n> {% endif %}\n\nb\n', 'a b'],
  ['{% if jekyll.environment == "x" %}\na\n', 'a'],
  ['a\n{% endif %}\n\nb\n', 'a b'],
  ['{% unless site.x %}\na\n{% else %}\nb\n{% endunless %}\n', 'a b'],
  ['{% assign x = site.y %}\n{% if x %}\na\n{% endif %}\n\nb\n', 'a b'],
  ['{% for p in site.posts %}\n{% if p.x %}\na\n{% endif %}\n{% endfor %}\n', 'a'],
  ['{% case page.x %}\n{% when 1 %}\na\n{% endcase %}\n', 'a'],
  ['{% capture x %}\na\n{% endcapture %}\nb {% increment y %}c\n', 'a b c'],
  ['<div>{% if site.x %}<b>a</b>{% endif %}</div>\n\nb\n', 'a b'],
  ['# A {% if site.x %}b{% endif %}\n\nc\n', 'c'],
])('template logic of other tools hides nothing and is not shown: %j', (markdown, words) => {
  for (const reading of renderForEachReader(markdown)) expect(reading).toContain(words);
  for (const reading of renderForEachReader(markdown)) expect(reading).not.toMatch(/[{%]/);
  expect(findConditionalLinks(`${markdown}[a](b.md)\n`)).toEqual(new Map());
  const pieces = [...parseInPieces(markdown, { piece: 8 })].flat();
  const { nodes } = publishTree({ object: 'document', data: {}, nodes: pieces }, publishing);
  expect(getPlainText(nodes)).toBe(getPlainText(publishText(markdown)));
});

test("treats no tag as another tool's tag if the document contains Octavo conditions", () => {
  const markdown =
    '{% if site.x %}\na\n\n{% if visitor.claims.a %}\nsecret\n{% endif %}\n\n{% endif %}\n\nd [e](f.md)\n';
  expect(renderForEachReader(markdown).slice(3)).toEqual(['d e', 'd e']);
});

test.each([
  '{% if site.a and visitor.claims.a %}\nsecret\n{% endif %}\n',
  '{% if visitor.claims.a == "site.x" %}\nsecret\n{% endif %}\n',
  '{% if "site.x" == visitors.a %}\nsecret\n{% endif %}\n',
  '{% if page.variables.a %}\nsecret\n{% endif %}\n',
  '{% if page.claims.a %}\nsecret\n{% endif %}\n',
  '{% if a.site.b %}\nsecret\n{% endif %}\n',
  '{% if claims.a %}\nsecret\n{% endif %}\n',
  '{% if site.a %}\n{% elseif visitor.claims.a %}\nsecret\n{% endif %}\n',
  '{% if site.a %}x{% elsif visitor.claims.a %}secret{% endif %}\n',
  '{% if site.a %}{% if visitor.claims.a %}secret{% endif %}{% endif %}\n',
  '{% if site.a %}\n{% if visitor.claims.a %}\n{% endif %}\n{% endif %}\n{% if visitor.claims.a %}\nsecret\n',
  '{% if site.a {% if visitor.claims.a %} %}\nsecret\n{% endif %}\n',
  '{% assign x = "{% if visitor.claims.a %}" %}\nsecret\n{% endif %}\n',
  '{% if visitor.claims.a %}\n{% if site.a %}\n{% endif %}\nsecret\n{% endif %}\n',
  '{{% if site.a %}{% endif %}% if visitor.claims.a %} secret {% endif %}\n',
  `{% if site.a ${'x'.repeat(5000)} || visitor.claims.a %}\nsecret\n{% endif %}\n`,
  '{% if\nvisitor.claims.a %}\nsecret\n{% endif %}\n',
  'Use `{% else` here.\n\n{% if visitor.claims.a %}\nsecret\n{% endif %}\n',
  'Close it with `{% endif`.\n\n{% if visitor.claims.a %}\nsecret\n{% endif %}\n',
  'Close it with `{% endif`.\n\n{% if a %}\nsecret\n{% endif %}\n',
  '{% if site.a %}\nA\n{% endif }\n\n{% if visitor.claims.a %}\nsecret\n{% endif %}\n',
  '{% if site.x %}A{% else if visitor.claims.a %}secret{% endif %}\n',
  '{% if site.x %}\nA\n{% else if visitor.claims.a %}\nsecret\n{% endif %}\n',
  '{% if site.x %}\nA\n{% elsif visitor.claims.a %}\nsecret\n{% endif %}\n',
  '{% if site.x %}\nA\n{% elsif space.vars.a %}\nsecret\n{% endif %}\n',
  '{% assign visitor = 1 %}\n{% if visitor.claims.a %}\nsecret\n{% endif %}\n',
])(
  'treats a tag that may be an Octavo condition as a condition, even next to the logic of other tools: %j',
  (markdown) => {
    expect(renderTree(parseTree(markdown))).toBe(markdown);
    expect(renderForEachReader(markdown).slice(3).join(' ')).not.toContain('secret');
    expect(findConditionalLinks(`${markdown}`.replace('secret', '[a](b.md)')).has('b.md')).toBe(true);
  },
);

test('parses a Jekyll post reference as a link target', () => {
  const markdown =
    '[a]({% post_url 2026-01-02-b %}#c) <a href="{{ site.baseurl }}{% post_url d/2026-01-02-e %}">f</a>\n';
  expect(getLinks(markdown).map(({ target }) => target)).toEqual([
    '/_posts/2026-01-02-b.md#c',
    '/_posts/d/2026-01-02-e.md',
  ]);
  expect(JSON.stringify(publishText(markdown))).toContain('"url":"/_posts/2026-01-02-b.md#c"');
  expect(rewriteTargets(markdown, () => '/q')).toBe('[a](/q) <a href="/q">f</a>\n');
  expect(JSON.stringify(publishText(markdown))).toContain('"url":"/_posts/d/2026-01-02-e.md"');
});

test('a condition in a code fence does not hide the images of the page', () => {
  expect(findConditionalLinks('```md\n{% if a %}\n```\n\n![x](a.png)\n').size).toBe(0);
});

test.each<[name: string, markdown: string]>([
  ['unclosed conditions', '{% if site.x %}\n'.repeat(6_000)],
  ['nested conditions', `${'{% if site.x %}\n'.repeat(3_000)}${'{% endif %}\n'.repeat(3_000)}`],
  ['conditions on one line', '{% if site.x %}a{% endif %}'.repeat(5_000)],
  ['unclosed conditions on one line', '{% if site.x %}a'.repeat(8_000)],
  ['parts', `{% if site.x %}\n${'{% else %}\n'.repeat(6_000)}{% endif %}\n`],
  ['starts of tags', `${'{% '.repeat(40_000)}%}`],
  ['starts of conditions', `{% if ${'{% if "'.repeat(20_000)}`],
  ['counts', '{% assign x = '.repeat(10_000)],
  ['posts', '[a]({% post_url '.repeat(8_000)],
])('%s takes linear time', (_name, markdown) => {
  const start = process.threadCpuUsage();
  publishTree(parseTree(markdown), publishing);
  getSections(markdown);
  findConditionalLinks(markdown);
  const { user, system } = process.threadCpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(5_000);
});
