import { expect, test } from 'vitest';
import { getAnchors } from '../sections.ts';
import { getText, isBlock } from './document-tree.ts';
import { getHeadingIds } from './heading-ids.ts';
import { parseTree, renderTree } from './parse-tree.ts';

const forms = [
  'Set up {#setup}',
  'Set up { #setup .x }',
  '<a name="setup"></a>Set up',
  'Set up <a href="#setup" id="setup"></a>',
  'Set _up_ <a id="b"></a> {#a}',
  '<a id="setup">Set up</a>',
  'Set up {.x}',
];

test.each(forms)('%j: is not part of the heading text, and is preserved when the text changes', (form) => {
  const markdown = `## ${form}\n`;
  const tree = parseTree(markdown);
  const [heading] = tree.nodes;
  expect(JSON.stringify(heading?.nodes)).not.toContain('{#');
  expect(renderTree(tree)).toBe(markdown);
  if (heading !== undefined) heading.nodes = [getText('Other')];
  expect(getAnchors(renderTree(tree))[0]?.id).toBe(getAnchors(markdown)[0]?.id.replace('set-up', 'other'));
});

test('a heading in HTML is a heading, and its content is not markdown', () => {
  const markdown = '<h2 id="x" align="center">A *b* <em>c</em> <img src="a.png" alt=""></h2>\n\ntext\n';
  const tree = parseTree(markdown);
  expect(tree.nodes[0]).toMatchObject({
    type: 'heading-2',
    data: { id: 'x' },
    nodes: [
      { leaves: [{ text: 'A *b* ' }, { text: 'c', marks: [{ type: 'italic' }] }, { text: ' ' }] },
      { type: 'inline-image' },
    ],
  });
  expect(renderTree(tree)).toBe(markdown);
});

test('a paragraph of anchors is not rendered', () => {
  const tree = parseTree('<a id="x"></a>\n## A\n{: .b }\n');
  expect(tree.nodes.map(({ type }) => type)).toEqual(['html', 'heading-2', 'html']);
});

test('headings in the tree have the same IDs as in the markdown', () => {
  const markdown = [
    '# A\n\n## A\n\n<a id="x"></a>\n## B\n\n> ## Quoted\n\n{% tabs %}\n{% tab title="t" %}\n## A\n{% endtab %}\n{% endtabs %}',
    '#### A\n\n- ## Listed\n\n## C\n{: #c1 }\n\n<div id="d"></div>\n\n<h2 id="e">E</h2>\n',
  ].join('\n\n');
  const tree = parseTree(markdown);
  const headings = getAnchors(markdown).filter(({ level }) => level > 0);
  expect([...getHeadingIds(tree.nodes).values()].map(({ id }) => id)).toEqual(headings.map(({ id }) => id));
  expect([...getHeadingIds(tree.nodes).keys()].every(isBlock)).toBe(true);
});

test('escapes text that looks like an attribute list', () => {
  const tree = { object: 'document' as const, data: {}, nodes: parseTree('## a\n').nodes };
  const [heading] = tree.nodes;
  if (heading !== undefined) heading.nodes = [getText('a {#b}')];
  const markdown = renderTree(tree);
  expect(parseTree(markdown).nodes[0]?.nodes).toMatchObject([{ leaves: [{ text: 'a {#b}' }] }]);
  expect(getAnchors(markdown)[0]?.id).toBe('a-b');
});
