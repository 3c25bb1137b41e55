import type { Json } from '@octavo/expression';
import { expect, test } from 'vitest';
import { getText, createPageNode as node } from '../../../test/support/merged-page.ts';
import { mergeNode } from './merge-node.ts';
import type { Node } from './node.ts';

const base = node();
const createTitled = (title: string) => node({ fields: { title } });

const createWithDocument = (document: string | null) => node({ document });
const [was, ours, theirs] = ['one\ntwo\nthree\n', 'one\nmain\nthree\n', 'one\nmine\nthree\n'];
const undecided = {
  document: { message: '', text: { base: was, main: ours, incoming: theirs, written: 'MARKED', markerLength: 7 } },
};
const mergeDocuments = (main: string | undefined, incoming: string, over: Partial<Node> = {}) =>
  mergeNode(
    {
      base: createWithDocument(ours),
      main: main === undefined ? undefined : createWithDocument(main),
      incoming: node({ document: incoming, undecided, ...over }),
      undecided,
    },
    getText,
  );

test('an update merges unresolved text as it was before the markers, and never nests markers', () => {
  const { text = '', clashes } = mergeDocuments('one\nmain 2\nthree\nfour\n', 'MARKED');

  expect(clashes).toMatchObject([{ field: 'document', text: { base: was, incoming: theirs } }]);
  expect(text).toBe(
    'one\n<<<<<<< change request\nmine\n||||||| base\ntwo\n=======\nmain 2\n>>>>>>> main\nthree\nfour\n',
  );
});

test('an update resolves a conflict whose change in main was reverted', () => {
  expect(mergeDocuments(`${was}four\nfive\n`, 'MARKED')).toMatchObject({ text: `${theirs}four\nfive\n`, clashes: [] });
  expect(mergeDocuments(was, 'MARKED')).toMatchObject({ node: { document: theirs }, clashes: [] });
  expect(mergeDocuments(theirs, 'MARKED').clashes).toEqual([]);
});

test('text whose conflict is being edited stays unresolved, whatever main changes', () => {
  const { node: kept, clashes } = mergeDocuments('one\nmain 2\nthree\n', 'MARKED, partly edited');

  expect(kept?.document).toBe('MARKED, partly edited');
  expect(clashes).toMatchObject([{ field: 'document', text: { written: 'MARKED', main: ours } }]);
});

test('if main deleted an unresolved node, its text from before the markers is restored', () => {
  const merged = mergeDocuments(undefined, 'MARKED');

  expect(merged).toMatchObject({ node: { document: theirs }, clashes: [{ field: 'node' }] });
});

test('merges later edits of main into a resolved text, based on the main version of the resolution', () => {
  const merged = mergeNode(
    {
      base: createWithDocument('one\nmain\nthree\nfour\n'),
      main: createWithDocument('one\nmain\nthree\nfour\nfive\n'),
      incoming: node({ document: 'one\nboth\nthree\n', documentBase: ours }),
    },
    getText,
  );

  expect(merged).toMatchObject({ text: 'one\nboth\nthree\nfour\nfive\n', clashes: [] });
  expect(merged.node?.documentBase).toBeUndefined();
});

test.each<[string, Partial<Node>, Partial<Node>, Json]>([
  ['title', { fields: { title: 'Main' } }, { fields: { title: 'Mine' } }, 'Page'],
  ['emoji', { fields: { title: 'Page', emoji: 'a' } }, { fields: { title: 'Page', emoji: 'b' } }, null],
  ['slug', { slug: 'main' }, { slug: 'mine' }, 'page'],
  ['place', { parent: 'x' }, { parent: 'y' }, ['', 'a0']],
])(
  'an unresolved field %s conflicts again until it is resolved, unless main reverts it',
  (field, ours, theirs, value) => {
    const sides = { base: node(ours), main: node(ours), incoming: node(theirs) };
    const open = { [field]: { message: '', base: value } };

    expect(mergeNode({ ...sides, undecided: open }, getText).clashes).toMatchObject([{ field, base: value }]);
    expect(mergeNode({ ...sides, main: base, undecided: open }, getText)).toMatchObject({ node: theirs, clashes: [] });
    expect(mergeNode({ ...sides, main: node(theirs), undecided: open }, getText).clashes).toEqual([]);
    expect(mergeNode(sides, getText).clashes).toEqual([]);
  },
);

test('an unresolved deletion on either side conflicts again after each update until both sides agree', () => {
  const open = { node: { message: '' } };
  const lost = { base: undefined, main: undefined, incoming: createTitled('Mine'), undecided: open };
  const deleted = { base: createTitled('Main'), main: createTitled('Main'), incoming: undefined, undecided: open };

  expect(mergeNode(lost, getText)).toMatchObject({ node: createTitled('Mine'), clashes: [{ field: 'node' }] });
  expect(mergeNode(deleted, getText)).toMatchObject({ node: undefined, clashes: [{ field: 'node' }] });
  expect(mergeNode({ ...deleted, main: undefined }, getText).clashes).toEqual([]);
});
