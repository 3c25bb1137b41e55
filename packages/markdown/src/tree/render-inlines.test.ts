import { expect, test } from 'vitest';
import { createBlock, getText, inline } from './document-tree.ts';
import { mark } from './markup.ts';
import { parseTree, renderTree } from './parse-tree.ts';
import { createUserMention } from './tags.ts';

test.each([
  ['a mention', createUserMention('usr_0aZ')],
  ['an emoji', inline('emoji', { name: 'tada' })],
])('text directly after %s does not open emphasis', (_name, before) => {
  const italic = mark('italic');
  const leaves = [...getText('a_b one').leaves, ...getText('|', [mark('bold'), italic]).leaves];
  const paragraph = createBlock('paragraph', {}, [before, { object: 'text', leaves }]);
  const markdown = renderTree({ object: 'document', data: { schemaVersion: 9 }, nodes: [paragraph] });

  expect(parseTree(markdown).nodes[0]?.nodes, markdown).toEqual(paragraph.nodes);
});
