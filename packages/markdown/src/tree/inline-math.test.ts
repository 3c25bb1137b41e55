import { expect, test } from 'vitest';
import { publishText } from '../../../../test/support/shown-text.ts';
import { getText } from './document-tree.ts';
import { evaluateTree } from './evaluate-tree.ts';
import { readFormula } from './inline-rules.ts';
import { parseTree, renderTree } from './parse-tree.ts';
import { getPlainText } from './published-nodes.ts';

test.each([
  ...['$x$', '$a + b$', '$O(n)$', '$f(x) = 2x$', '$x^2$', '$x_1$', '$\\alpha$', '$\\frac{a}{b} = 5$', '$e^{i\\pi}$'],
  ...['$-$', '$5 + $x$', '$$x$', 'a$x$', '$x$5', '$x$y', '$x$(1)', '$ x$', '$x $', '\\$x$'].map((each) => `!${each}`),
  ...['$HOME/$USER', '$Id$', '$my_var$', '$10-$20', '$5 and $6', '$word and word$', '$x`$`'].map((each) => `!${each}`),
])('finds a formula, or none if the text starts with an exclamation mark: %s', (text) => {
  const at = text.indexOf('$');
  const formula = text.startsWith('!') ? undefined : text.slice(1, -1);
  expect(readFormula(text, at)?.formula).toBe(formula);
});

test('distinguishes formulas between single dollars from prices', () => {
  const formulas = ['x^2', 'a + b'].map((formula) => ({ type: 'inline-math', data: { formula } }));
  expect(publishText('$x^2$ for $5 or US$6 and **$a + b$**, not `$c$`\n')).toMatchObject([
    {
      nodes: [
        formulas[0],
        { leaves: [{ text: ' for $5 or US$6 and ' }] },
        formulas[1],
        { leaves: [{ text: ', not ' }, { text: '$c$' }] },
      ],
    },
  ]);
});

test.each<[markdown: string, formula: string]>([
  ['$$ x^2 $$', 'x^2'],
  ['$$x\n+ y$$', 'x\n+ y'],
  ['$$x\n+ y\n$$', 'x\n+ y'],
  ['$$\nx\n$$', 'x'],
])('a formula at the start of a line is a block: %j', (markdown, formula) => {
  expect(publishText(`${markdown}\nlast\n`)).toMatchObject([
    { type: 'math', data: { formula } },
    { type: 'paragraph' },
  ]);
});

test.each(['costs $$ and $$', '$$ and more\n\nlast $$', '$$x\n```\ny$$\n```'])(
  '%j is not a formula block',
  (markdown) => {
    expect(JSON.stringify(publishText(`${markdown}\n`))).not.toContain('"math"');
  },
);

test('keeps single dollars in a changed block, and escapes dollars in text', () => {
  const tree = parseTree('a $x$\n');
  tree.nodes[0]?.nodes.push(getText(' $y$ for $5, $z'));
  const written = renderTree(tree);
  expect(written).toContain('a $x$ \\$y');
  expect(getPlainText(parseTree(written).nodes)).toBe('a x $y$ for $5, $z');
});

test.each([
  '$\\a {% if visitor.claims.a %} secret$\n\n{% endif %}\n',
  '$$ a {% if visitor.claims.a %} secret $$\n\n{% endif %}\n',
  '$$ a\n{% if visitor.claims.a %}\nsecret $$\n{% endif %}\n',
])('content under a condition in a formula is hidden: %j', (markdown) => {
  const scope = { space: { vars: {} }, page: { vars: {} }, visitor: { claims: {} } };
  const evaluation = { scope, findTarget: () => undefined, contents: new Map(), isStrict: true };
  expect(renderTree(evaluateTree(parseTree(markdown), evaluation))).not.toContain('secret');
});

test.each([
  '$x'.repeat(40_000),
  '$\\a '.repeat(20_000),
  '$$ a\n'.repeat(8_000),
  `$$ ${'a '.repeat(40_000)}`,
  '$(a'.repeat(20_000),
])('hostile formulas take linear time (%#)', (markdown) => {
  const start = process.threadCpuUsage();
  parseTree(markdown);
  const { user, system } = process.threadCpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(5_000);
});
