import { expect, test } from 'vitest';
import { getText, pageNode } from '../../../test/support/merged-page.ts';
import { mergeNode } from './merge-node.ts';
import { isSameNode, type Node } from './node.ts';

const node = (document: string, links?: Node['links']) => pageNode({ document, links });
const titled = (page: Node): Node => ({ ...page, fields: { title: 'Another' } });

const [text, changed] = ['[a](a)\n\nx\n\ny\n', '[b](b)\n\nx\n\ny\n'];
const base = node(text, { a: '1' });

test('two states of a node are equal if only the recorded link targets differ', () => {
  expect(isSameNode(base, node(text))).toBe(true);
});

test('keeps the links of the document that wins', () => {
  const rewritten = node(changed, { b: '2' });
  expect(mergeNode({ base, main: titled(base), incoming: rewritten }, getText).node?.links).toEqual({ b: '2' });
  expect(mergeNode({ base, main: rewritten, incoming: titled(base) }, getText).node?.links).toEqual({ b: '2' });
});

test("merges the links of both sides if their documents are equal, and prefers main's target for the same link", () => {
  const main = titled(node(changed, { b: '2' }));
  const incoming = { ...node(changed, { b: '3', c: '4' }), slug: 'other' };
  expect(mergeNode({ base, main, incoming }, getText).node?.links).toEqual({ b: '2', c: '4' });
});

test('recorded link targets never conflict', () => {
  const telling = (gitLinks: Record<string, string>): Node => ({ ...base, fields: { title: 'A', gitLinks } });
  const [main, incoming] = [telling({ a: '1', b: '2' }), telling({ b: '3', c: '4' })];
  const merged = mergeNode({ base: titled(base), main, incoming }, getText);
  expect(merged.clashes).toEqual([]);
  expect(merged.node?.fields.gitLinks).toEqual({ a: '1', b: '3', c: '4' });
  expect(mergeNode({ base: main, main, incoming }, getText).node?.fields.gitLinks).toEqual({ b: '3', c: '4' });
});

test('a merged document keeps exactly the recorded targets of the links in its text', () => {
  const main = node(changed, { b: '2' });
  const incoming = node('[a](a)\n\nx\n\n[c](c#d)\n', { a: '1', c: '3' });
  const merged = mergeNode({ base, main, incoming }, getText);
  expect(merged.text).toBe('[b](b)\n\nx\n\n[c](c#d)\n');
  expect(merged.node?.links).toEqual({ b: '2', c: '3' });
});

test('drops the redirect of an anchor that exists again in the merged text', () => {
  const of = (markdown: string, anchors?: Node['anchors']): Node => ({ ...node(markdown), anchors });
  const main = of('# T\n\nx\n\n## B\n\ny\n', { a: 'b', old: 'b' });
  const incoming = of('# T\n\nx\n\n## A\n\ny\n\nz\n\n## A\n\nw\n');
  const merged = mergeNode({ base: of('# T\n\nx\n\n## A\n\ny\n'), main, incoming }, getText);
  expect(merged.text).toBe('# T\n\nx\n\n## B\n\ny\n\nz\n\n## A\n\nw\n');
  expect(merged.node?.anchors).toEqual({ old: 'b' });
});
