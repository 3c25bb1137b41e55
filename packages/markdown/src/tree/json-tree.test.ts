import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../../test/support/random.ts';
import { readJsonTree, TreeError } from './json-tree.ts';
import { parseTree, renderTree } from './parse-tree.ts';

const createText = (words: unknown) => ({ object: 'text', leaves: [{ object: 'leaf', text: words, marks: [] }] });
const createParagraph = (...nodes: unknown[]) => ({ object: 'block', type: 'paragraph', data: {}, nodes });
const getMarkdown = (...nodes: unknown[]) => renderTree(readJsonTree({ data: {}, nodes }));

function getFault(data: unknown, nodes: unknown): [path: string, message: string] | undefined {
  try {
    readJsonTree({ data, nodes });
    return undefined;
  } catch (error) {
    if (error instanceof TreeError) return [error.path, error.message];
    throw error;
  }
}

function createNestedTree(depth: number): unknown {
  let node: unknown = createParagraph(createText('a'));
  for (let level = 0; level < depth; level += 1) node = { object: 'block', type: 'blockquote', nodes: [node] };
  return node;
}

function nestDeeply(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

test('a tree from JSON renders the same text', () => {
  const markdown = '# Title\n\n* one **bold**\n- other @usr_abc\n\n| a |\n|--|\n| b |\n\n```js\nx\n```\n';
  const tree = JSON.parse(JSON.stringify(parseTree(markdown)));
  expect(renderTree(readJsonTree(tree))).toBe(markdown);
});

test('omits optional fields', () => {
  expect(
    getMarkdown({ object: 'block', type: 'divider' }, createParagraph({ object: 'text', leaves: [{ text: 'a' }] })),
  ).toBe('***\n\na\n');
});

describe('reports an error with its path', () => {
  const word = createText('a');
  test.each<[string, unknown, unknown, string, string]>([
    ['data that is a list', [], [], 'data', 'must be an object'],
    ['nodes that are not a list', {}, {}, 'nodes', 'must be an array'],
    ['a node that is null', {}, [null], 'nodes.0', 'must be an object'],
    ['a text without a block', {}, [word], 'nodes.0.object', 'must be block'],
    [
      'a node without an object field',
      {},
      [createParagraph({})],
      'nodes.0.nodes.0.object',
      'must be text or inline, or block within a block',
    ],
    [
      'a block in an inline',
      {},
      [createParagraph({ object: 'inline', type: 'link', nodes: [createParagraph()] })],
      'nodes.0.nodes.0.nodes.0.object',
      'must be text or inline, or block within a block',
    ],
    ['a block without a type', {}, [{ object: 'block' }], 'nodes.0.type', 'must be a string'],
    ['a key that is a number', {}, [{ ...createParagraph(), key: 1 }], 'nodes.0.key', 'must be a string'],
    ['a text without leaves', {}, [createParagraph({ object: 'text' })], 'nodes.0.nodes.0.leaves', 'must be an array'],
    ['a leaf without text', {}, [createParagraph(createText(1))], 'nodes.0.nodes.0.leaves.0.text', 'must be a string'],
    [
      'a lone surrogate',
      {},
      [createParagraph(createText('\ud800'))],
      'nodes.0.nodes.0.leaves.0.text',
      'must be valid Unicode',
    ],
    ['a lone surrogate in data', { a: ['\ud800'] }, [], 'data', 'must be valid Unicode'],
    [
      'blocks that are nested too deep',
      {},
      [createNestedTree(5_000)],
      `nodes.0${'.nodes.0'.repeat(49)}.nodes`,
      'must have at most 50 levels of nesting',
    ],
    ['data that is nested too deep', { a: nestDeeply(5_000) }, [], 'data', 'must have at most 10 levels of nesting'],
    [
      'too many nodes',
      {},
      Array.from({ length: 20_001 }, () => createParagraph()),
      'nodes',
      'must have at most 20000 nodes, leaves and marks',
    ],
  ])('%s', (_name, data, nodes, path, message) => {
    expect(getFault(data, nodes)).toEqual([path, message]);
  });

  test('accepts a tree at the limits', () => {
    expect(getFault({ a: nestDeeply(9) }, [createNestedTree(46)])).toBeUndefined();
    expect(
      getFault(
        {},
        Array.from({ length: 20_000 }, () => createParagraph()),
      ),
    ).toBeUndefined();
  });
});

const types = fc.constantFrom(
  'paragraph',
  'heading-1',
  'list-ordered',
  'list-tasks',
  'list-item',
  'table',
  'table-row',
  'table-cell',
  'code',
  'code-line',
  'html',
  'images',
  'image',
  'conditional',
  'hint',
  'footnote',
  'math',
  'embed',
  'expandable',
  '__proto__',
  'constructor',
);
const inlineTypes = fc.constantFrom(
  'link',
  'mention',
  'button',
  'inline-image',
  'emoji',
  'expression',
  'html',
  'toString',
  'inline-math',
);
const datum = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(fc.constant(null), fc.string())),
  fc.constantFrom<unknown>(
    { url: 'javascript:x' },
    { kind: 'user', user: 'usr_a' },
    { kind: 'user', user: '](javascript:x)' },
    { source: 'x', before: 1 },
  ),
);
const data = fc.dictionary(
  fc.constantFrom(
    'ref',
    'markup',
    'align',
    'marks',
    'title',
    'checked',
    'start',
    'view',
    'attributes',
    'html',
    'caption',
    'alt',
    'syntax',
    'condition',
    'label',
    'formula',
    'name',
  ),
  datum,
);
const leaf = fc.record({
  text: fc.string(),
  marks: fc.array(
    fc.record({ type: fc.constantFrom('bold', 'code', 'color', 'no'), data }, { requiredKeys: ['type'] }),
  ),
});
const { node } = fc.letrec<{ node: unknown; inline: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.record({ object: fc.constant('text'), leaves: fc.array(leaf) }),
    tie('inline'),
    fc.record(
      { object: fc.constant('block'), type: types, data, nodes: fc.array(tie('node')), key: fc.string() },
      { requiredKeys: ['object', 'type'] },
    ),
  ),
  inline: fc.record(
    {
      object: fc.constant('inline'),
      type: inlineTypes,
      data,
      nodes: fc.array(fc.record({ object: fc.constant('text'), leaves: fc.array(leaf) })),
    },
    { requiredKeys: ['object', 'type'] },
  ),
}));

test('every accepted tree renders to a text that parses and renders to the same text', () => {
  holds(
    fc.property(fc.array(node), data, (nodes, own) => {
      if (getFault(own, nodes) !== undefined) return;
      const markdown = renderTree(readJsonTree({ data: own, nodes }));
      expect(renderTree(parseTree(markdown))).toBe(markdown);
    }),
    { numRuns: 300 },
  );
});
