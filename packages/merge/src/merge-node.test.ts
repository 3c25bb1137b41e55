import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { getText, createPageNode as node } from '../../../test/support/merged-page.ts';
import { holds } from '../../../test/support/random.ts';
import { mergeNode } from './merge-node.ts';
import { isSameNode, type Node, type ThreeWay } from './node.ts';

const base = node();
const merge = (sides: Partial<ThreeWay>) => mergeNode({ base, main: base, incoming: base, ...sides }, getText);
const createTitled = (title: string) => node({ fields: { title } });
const getFields = (sides: Partial<ThreeWay>) => merge(sides).clashes.map(({ field }) => field);

describe('every combination of unchanged, changed and deleted', () => {
  test('takes the incoming version, changed or deleted, if main is unchanged', () => {
    expect(merge({ incoming: createTitled('New') })).toEqual({ node: createTitled('New'), clashes: [] });
    expect(merge({ incoming: undefined })).toEqual({ node: undefined, clashes: [] });
  });

  test("keeps main's version, changed or deleted, if the change request is unchanged", () => {
    expect(merge({ main: createTitled('New') })).toEqual({ node: createTitled('New'), clashes: [] });
    expect(merge({ main: undefined })).toEqual({ node: undefined, clashes: [] });
  });

  test("reports a conflict if one side deleted and the other changed the node, and keeps the change request's side", () => {
    const lost = merge({ main: undefined, incoming: createTitled('New') });
    const deleted = merge({ main: createTitled('New'), incoming: undefined });

    expect(lost).toMatchObject({ node: createTitled('New'), clashes: [{ field: 'node' }] });
    expect(deleted).toMatchObject({ node: undefined, clashes: [{ field: 'node' }] });
  });

  test('deleted on both sides is deleted', () => {
    expect(merge({ main: undefined, incoming: undefined })).toEqual({ node: undefined, clashes: [] });
  });

  test('equal nodes created on both sides do not conflict; different ones conflict by field', () => {
    const createVariableNode = (value: number): Node =>
      node({ kind: 'variable', fields: { name: 'x', value }, document: null });

    expect(merge({ base: undefined, main: createVariableNode(1), incoming: createVariableNode(1) }).clashes).toEqual(
      [],
    );
    expect(getFields({ base: undefined, main: createVariableNode(1), incoming: createVariableNode(2) })).toEqual([
      'value',
    ]);
  });
});

describe('field by field', () => {
  test('each field comes from the side that changed it', () => {
    const main = node({ fields: { title: 'Main', emoji: '1f600' } });
    const incoming = node({ slug: 'theirs', fields: { title: 'Page', hidden: true } });

    expect(merge({ main, incoming })).toMatchObject({
      node: { slug: 'theirs', fields: { title: 'Main', emoji: '1f600', hidden: true } },
      clashes: [],
    });
  });

  test('merges a field removed on one side with another field changed on the other', () => {
    const rich = node({ fields: { title: 'Page', description: 'Old' } });
    const main = createTitled('Page');
    const incoming = node({ fields: { title: 'New', description: 'Old' } });

    expect(merge({ base: rich, main, incoming }).node?.fields).toEqual({ title: 'New' });
  });

  test('a field removed on one side and changed on the other conflicts', () => {
    const rich = node({ fields: { title: 'Page', description: 'Old' } });
    const changed = node({ fields: { title: 'Page', description: 'New' } });

    expect(getFields({ base: rich, main: createTitled('Page'), incoming: changed })).toEqual(['description']);
    expect(getFields({ base: rich, main: changed, incoming: createTitled('Page') })).toEqual(['description']);
  });

  test('treats the parent and the position as one field', () => {
    expect(getFields({ main: node({ parent: 'x' }), incoming: node({ position: 'b0' }) })).toEqual(['place']);
    expect(merge({ main: node({ parent: 'x', position: 'c0' }), incoming: createTitled('New') }).node).toMatchObject({
      parent: 'x',
      position: 'c0',
      fields: { title: 'New' },
    });
  });

  test('the order of keys within a field is not a change', () => {
    const createLink = (target: { [key: string]: string }) => node({ fields: { title: 'Page', target } });
    const sides = {
      base: createLink({ kind: 'url', url: 'a' }),
      main: createLink({ url: 'a', kind: 'url' }),
      incoming: createLink({ kind: 'url', url: 'b' }),
    };

    expect(getFields(sides)).toEqual([]);
  });
});

describe('documents', () => {
  const createWithDocument = (document: string | null) => node({ document });

  test('changes of separate lines merge', () => {
    const merged = merge({
      main: createWithDocument('ONE\ntwo\nthree\n'),
      incoming: createWithDocument('one\ntwo\nTHREE\n'),
    });

    expect(merged).toMatchObject({ text: 'ONE\ntwo\nTHREE\n', clashes: [] });
    expect(merged.clashes).toEqual([]);
  });

  test('changes of one line conflict, with markers in the text and the base', () => {
    const merged = merge({
      main: createWithDocument('one\nmain\nthree\n'),
      incoming: createWithDocument('one\nmine\nthree\n'),
    });

    expect(merged.clashes).toMatchObject([
      { field: 'document', text: { base: 'one\ntwo\nthree\n', main: 'one\nmain\nthree\n', markerLength: 7 } },
    ]);
    expect(merged.text).toContain('<<<<<<< change request\nmine\n');
    expect(merged.text).toContain('=======\nmain\n>>>>>>> main\n');
  });

  test('a document emptied on one side and edited on the other conflicts', () => {
    expect(
      getFields({ main: createWithDocument(null), incoming: createWithDocument('one\ntwo\nthree\nfour\n') }),
    ).toEqual(['document']);
    expect(
      getFields({ main: createWithDocument('one\ntwo\nthree\nfour\n'), incoming: createWithDocument(null) }),
    ).toEqual(['document']);
  });

  test('a document that only one side changed keeps its object ID', () => {
    const main = createTitled('Main');
    const incoming = node({ document: 'other\n', oid: 'oid of other' });

    expect(merge({ main, incoming }).node).toMatchObject({
      document: 'other\n',
      oid: 'oid of other',
      fields: { title: 'Main' },
    });
  });
});

const states = fc.option(
  fc.record({
    parent: fc.constantFrom('', 'x', 'y'),
    position: fc.constantFrom('a0', 'a1'),
    slug: fc.constantFrom('s', 't'),
    fields: fc.record(
      { title: fc.constantFrom('A', 'B', 'C'), hidden: fc.constant(true) },
      { requiredKeys: ['title'] },
    ),
    document: fc.option(fc.constantFrom('a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'a\nb\nc\nD\n', 'a\nX\nc\nd\n', '')),
  }),
  { nil: undefined },
);
const nodes = states.map((state): Node | undefined => state && node(state));
const isSame = (one: Node | undefined, other: Node | undefined) => expect(isSameNode(one, other)).toBe(true);

describe('properties', () => {
  test('takes fields that only the change request changed', () => {
    holds(
      fc.property(nodes, nodes, (was, incoming) => {
        const merged = mergeNode({ base: was, main: was, incoming }, getText);
        isSame(merged.node, incoming);
        expect(merged.clashes).toEqual([]);
      }),
    );
  });

  test('keeps fields that only main changed', () => {
    holds(
      fc.property(nodes, nodes, (was, main) => {
        const merged = mergeNode({ base: was, main, incoming: was }, getText);
        isSame(merged.node, main);
        expect(merged.clashes).toEqual([]);
      }),
    );
  });

  test('the same change on both sides does not conflict', () => {
    holds(
      fc.property(nodes, nodes, (was, both) => {
        const merged = mergeNode({ base: was, main: both, incoming: both }, getText);
        isSame(merged.node, both);
        expect(merged.clashes).toEqual([]);
      }),
    );
  });

  test('reports a conflict for every field that both sides changed differently, and no other', () => {
    holds(
      fc.property(nodes, nodes, nodes, (was, main, incoming) => {
        if (was === undefined || main === undefined || incoming === undefined) return;
        const getFieldValues = (of: Node): Record<string, string> => ({
          place: `${of.parent} ${of.position}`,
          slug: of.slug,
          title: String(of.fields.title),
          hidden: String(of.fields.hidden),
        });
        const [b, m, i] = [getFieldValues(was), getFieldValues(main), getFieldValues(incoming)];
        const clashing = Object.keys(b).filter((key) => b[key] !== m[key] && b[key] !== i[key] && m[key] !== i[key]);
        const told = mergeNode({ base: was, main, incoming }, getText).clashes.map(({ field }) => field);
        expect(told.filter((field) => field !== 'document').sort()).toEqual(clashing.sort());
      }),
      { numRuns: 500 },
    );
  });

  test('without a conflict, no change of either side is lost', () => {
    holds(
      fc.property(nodes, nodes, nodes, (was, main, incoming) => {
        const { node: result, text, clashes } = mergeNode({ base: was, main, incoming }, getText);
        if (clashes.length > 0) return;
        for (const side of [main, incoming]) {
          if (isSameNode(side, was)) continue;
          expect(result === undefined).toBe(side === undefined);
          if (side === undefined || result === undefined) continue;
          if (side.slug !== was?.slug) expect(result.slug).toBe(side.slug);
          if (side.parent !== was?.parent) expect(result.parent).toBe(side.parent);
          if (side.fields.title !== was?.fields.title) expect(result.fields.title).toBe(side.fields.title);
          const before = (was?.document ?? '').split('\n');
          for (const line of (side.document ?? '').split('\n').filter((each) => !before.includes(each)))
            expect((text ?? result.document ?? '').split('\n')).toContain(line);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('the sides are symmetric except in conflicts', () => {
    holds(
      fc.property(nodes, nodes, nodes, (was, one, other) => {
        const there = mergeNode({ base: was, main: one, incoming: other }, getText);
        const back = mergeNode({ base: was, main: other, incoming: one }, getText);
        expect(there.clashes.length).toBe(back.clashes.length);
        if (there.clashes.length === 0) {
          isSame(there.node, back.node);
          expect(there.text).toBe(back.text);
        }
      }),
      { numRuns: 500 },
    );
  });
});
