import { describe, expect, test } from 'vitest';
import { evaluateTree } from './evaluate-tree.ts';
import { parseTree, renderTree } from './parse-tree.ts';

const scope = {
  space: { vars: { name: 'Octavo', version: 3, on: true, sharp: '**x** <b> {{ a }}' } },
  page: { vars: { level: 2 } },
  visitor: { claims: {} },
};
const none = { findTarget: () => undefined, contents: new Map() };

/** Evaluates a text. All texts can reference each other, and themselves, by id. */
function evaluateText(markdown: string, texts: Record<string, string> = {}) {
  const findTarget = (address: string) => (Object.hasOwn(texts, address) ? address : undefined);
  const contents = new Map(Object.entries(texts).map(([id, text]) => [id, { markdown: text, findTarget }]));
  return renderTree(evaluateTree(parseTree(markdown), { scope, findTarget, contents }));
}

describe('expressions', () => {
  test.each([
    ['{{ space.vars.name }}', 'Octavo'],
    ['<code class="expression">space.vars.name</code>', 'Octavo'],
    ['a {{ page.vars.level + 1 }} b', 'a 3 b'],
    ['{{ space.vars["version"] === 3 ? "new" : "old" }}', 'new'],
    ['a {{ space.vars.none }}b', 'a b'],
    ['{{ "name" in space.vars && !visitor.claims.beta }}', 'true'],
    ['{{ visitor.claims.a.b.c || "nobody" }}', 'nobody'],
    [`{{ ${'!'.repeat(48)}space.vars.on }}`, 'true'],
    ['**{{ space.vars.name }}**', '**Octavo**'],
    ['**a {{ space.vars.name }} _{{ page.vars.level }}_**', '**a Octavo _2_**'],
    ['~~{{ space.vars.none }}~~{{ space.vars.name }}', 'Octavo'],
    ['**{{ other }}**', '**{{ other }}**'],
    ['<kbd>{{ space.vars.name }}</kbd>', '<kbd>Octavo</kbd>'],
  ])('%s', (source, value) => {
    expect(evaluateText(`${source}\n`)).toBe(`${value}\n`);
  });

  test('a value is text, whatever it contains', () => {
    const markdown = evaluateText('{{ space.vars.sharp }}\n');
    expect(parseTree(markdown).nodes).toMatchObject([
      { type: 'paragraph', nodes: [{ object: 'text', leaves: [{ text: '**x** <b> {{ a }}', marks: [] }] }] },
    ]);
  });

  test.each([
    'constructor',
    'constructor.constructor("return 1")()',
    'space.vars.toString()',
    'alert(1)',
    'this',
    'space.vars',
    'other',
    `${'('.repeat(60)}1`,
    `${'!'.repeat(52)}space.vars.on`,
    '1 +',
  ])('leaves {{ %s }} unchanged', (source) => {
    expect(evaluateText(`{{ ${source} }}\n`)).toBe(`{{ ${source} }}\n`);
  });

  test.each([
    'space.constructor',
    'space.__proto__',
    'space.vars.__proto__.x',
    'space["constructor"]["prototype"]',
    'space.vars.name.length',
    '"__proto__" in space ? 1 : undefined',
  ])('renders {{ %s }} as empty text', (source) => {
    expect(evaluateText(`a{{ ${source} }}b\n`)).toBe('ab\n');
  });

  test('values of expressions add at most 1 MiB', () => {
    const long = { ...scope, space: { vars: { a: 'x'.repeat(512) } } };
    const tree = evaluateTree(parseTree('{{ space.vars.a }}\n\n'.repeat(5_000)), { scope: long, ...none });
    expect(renderTree(tree).length).toBeLessThan(1024 * 1024 + 300_000);
    expect(renderTree(tree).endsWith('{{ space.vars.a }}\n\n')).toBe(true);
  });
});

describe('conditions', () => {
  const writeCondition = (condition: string) => `before\n\n{% if ${condition} %}\nyes\n{% else %}\nno\n{% endif %}\n`;
  test.each([
    ['space.vars.on', 'yes'],
    ['space.vars.version > 3', 'no'],
    ['visitor.claims.unsigned.beta == true', 'no'],
    ['not a condition', 'no'],
    ['constructor', 'no'],
    [`"${'x'.repeat(1_022)}"`, 'yes'],
    [`"${'x'.repeat(1_023)}"`, 'no'],
  ])('%s', (condition, met) => {
    expect(evaluateText(writeCondition(condition))).toBe(`before\n\n${met}\n`);
  });

  test('removes the content of a false condition without another branch', () => {
    expect(
      evaluateText('{% hint style="info" %}\n{% if page.vars.none %}\nno\n{% endif %}\n\nkept\n{% endhint %}\n'),
    ).toBe('{% hint style="info" %}\nkept\n{% endhint %}\n');
  });
});

describe('includes', () => {
  const include = (name: string) => `{% include "${name}" %}\n`;

  test('are replaced by the evaluated blocks of their target', () => {
    const text = { one: '# One\n\n{{ space.vars.name }}\n\n{% include "two" %}\n', two: 'second\n' };
    expect(evaluateText(`top\n\n${include('one')}`, text)).toBe('top\n\n# One\n\nOctavo\n\nsecond\n');
  });

  test('stay unchanged if no target is given, or if content includes itself', () => {
    expect(evaluateText(include('other'), {})).toBe(include('other'));
    expect(evaluateText(include('one'), { one: `a\n\n${include('two')}`, two: include('one') })).toBe(
      `a\n\n${include('one')}`,
    );
  });

  test('are resolved relative to the file that contains them', () => {
    const contents = new Map([
      ['one', { markdown: include('x.md'), findTarget: () => 'two' }],
      ['two', { markdown: `second\n\n${include('x.md')}`, findTarget: () => undefined }],
    ]);
    const tree = evaluateTree(parseTree(include('x.md')), { scope, findTarget: () => 'one', contents });
    expect(renderTree(tree)).toBe(`second\n\n${include('x.md')}`);
  });

  test('are resolved up to five levels deep', () => {
    const text = Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`c${level}`, include(`c${level + 1}`)]));
    expect(evaluateText(include('c1'), { ...text, c7: 'deep' })).toBe(include('c6'));
  });

  test('content that includes itself many times adds at most 1 MiB', () => {
    const text = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((name, index) => [name, include('bcdef'.charAt(index)).repeat(20)]),
    );
    const paged = Object.fromEntries(Object.entries(text).map(([name, each]) => [name, each.replaceAll('\n', '\n\n')]));
    expect(evaluateText(include('a'), paged).length).toBeLessThan(3 * 1024 * 1024);
  });
});

test('text without anything to evaluate is preserved byte for byte', () => {
  const markdown = '---\ntitle: x\n---\nTitle\n=====\n\n+  a\n\n\n{% hint style="info" %}\n\nb\n{% endhint %}\n';
  expect(evaluateText(markdown)).toBe(markdown);
});
