import { expect, test } from 'vitest';
import { createPageNode, getText } from '../../../test/support/merged-page.ts';
import { mergeNode } from './merge-node.ts';
import { isSameNode, type Node } from './node.ts';

const createNode = (document: string, links?: Node['links']) => createPageNode({ document, links });
const changeTitle = (page: Node): Node => ({ ...page, fields: { title: 'Another' } });

const [text, changed] = ['[a](a)\n\nx\n\ny\n', '[b](b)\n\nx\n\ny\n'];
const base = createNode(text, { a: '1' });

test('two states of a node are equal if only the recorded link targets differ', () => {
  expect(isSameNode(base, createNode(text))).toBe(true);
});

test('keeps the links of the document that wins', () => {
  const rewritten = createNode(changed, { b: '2' });
  expect(mergeNode({ base, main: changeTitle(base), incoming: rewritten }, getText).node?.links).toEqual({ b: '2' });
  expect(mergeNode({ base, main: rewritten, incoming: changeTitle(base) }, getText).node?.links).toEqual({ b: '2' });
});

test("merges the links of both sides if their documents are equal, and prefers main's target for the same link", () => {
  const main = changeTitle(createNode(changed, { b: '2' }));
  const incoming = { ...createNode(changed, { b: '3', c: '4' }), slug: 'other' };
  expect(mergeNode({ base, main, incoming }, getText).node?.links).toEqual({ b: '2', c: '4' });
});

test('recorded link targets never conflict', () => {
  const createWithGitLinks = (gitLinks: Record<string, string>): Node => ({
    ...base,
    fields: { title: 'A', gitLinks },
  });
  const [main, incoming] = [createWithGitLinks({ a: '1', b: '2' }), createWithGitLinks({ b: '3', c: '4' })];
  const merged = mergeNode({ base: changeTitle(base), main, incoming }, getText);
  expect(merged.clashes).toEqual([]);
  expect(merged.node?.fields.gitLinks).toEqual({ a: '1', b: '3', c: '4' });
  expect(mergeNode({ base: main, main, incoming }, getText).node?.fields.gitLinks).toEqual({ b: '3', c: '4' });
});

test('a merged document keeps exactly the recorded targets of the links in its text', () => {
  const main = createNode(changed, { b: '2' });
  const incoming = createNode('[a](a)\n\nx\n\n[c](c#d)\n', { a: '1', c: '3' });
  const merged = mergeNode({ base, main, incoming }, getText);
  expect(merged.text).toBe('[b](b)\n\nx\n\n[c](c#d)\n');
  expect(merged.node?.links).toEqual({ b: '2', c: '3' });
});

test('drops the redirect of an anchor that exists again in the merged text', () => {
  const createWithAnchors = (markdown: string, anchors?: Node['anchors']): Node => ({
    ...createNode(markdown),
    anchors,
  });
  const main = createWithAnchors('# T\n\nx\n\n## B\n\ny\n', { a: 'b', old: 'b' });
  const incoming = createWithAnchors('# T\n\nx\n\n## A\n\ny\n\nz\n\n## A\n\nw\n');
  const merged = mergeNode({ base: createWithAnchors('# T\n\nx\n\n## A\n\ny\n'), main, incoming }, getText);
  expect(merged.text).toBe('# T\n\nx\n\n## B\n\ny\n\nz\n\n## A\n\nw\n');
  expect(merged.node?.anchors).toEqual({ old: 'b' });
});
