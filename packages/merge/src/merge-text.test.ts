import fc from 'fast-check';
import { diff3Merge } from 'node-diff3';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { hasMarkers } from './conflict-markers.ts';
import { splitLines } from './lines.ts';
import type { TextVersions } from './merge-lines.ts';
import { mergeText } from './merge-text.ts';

const document = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', '', '- d'), fc.constantFrom('\n', '\r\n')), { maxLength: 12 })
  .chain((lines) => fc.constantFrom(lines.flat().join(''), `${lines.flat().join('')}end`));

type Edit = 'keep' | 'main' | 'incoming' | 'both';
type EditedLine = { edit: Edit; removes: boolean; adds: number };

const editedLines = fc.array(
  fc.record({
    edit: fc.constantFrom<Edit>('keep', 'keep', 'main', 'incoming', 'both'),
    removes: fc.boolean(),
    adds: fc.integer({ min: 0, max: 2 }),
  }),
  { minLength: 1, maxLength: 30 },
);

function write(lines: readonly EditedLine[], applied: readonly Edit[], label: (edit: Edit) => string): string {
  const parts = lines.map(({ edit, removes, adds }, index) => {
    if (!applied.includes(edit)) return `line ${index}\n`;
    const added = Array.from({ length: adds }, (_, n) => `${label(edit)} ${index}.${n}\n`).join('');
    return removes ? added : `line ${index}\n${added}`;
  });
  return parts.join('');
}

function separateLines(lines: readonly EditedLine[]): EditedLine[] {
  return lines.flatMap((line) => [line, { edit: 'keep', removes: false, adds: 0 } as const]);
}

function createVersions(lines: readonly EditedLine[]): TextVersions {
  return {
    base: write(lines, [], String),
    main: write(lines, ['main', 'both'], () => 'main'),
    incoming: write(lines, ['incoming', 'both'], () => 'incoming'),
  };
}

function swapSides({ base, main, incoming }: TextVersions): TextVersions {
  return { base, main: incoming, incoming: main };
}

function removeMarkerLines(text: string): string[] {
  return splitLines(text).filter((line) => !/^(<{7} change request|\|{7} base|={7}|>{7} main)\r?\n$/.test(line));
}

describe('properties of a merge', () => {
  test("an unchanged incoming text results in main's text", () => {
    holds(
      fc.property(document, document, (base, main) => {
        expect(mergeText({ base, main, incoming: base })).toEqual({ text: main, conflicts: 0 });
      }),
    );
  });

  test('an unchanged main text results in the incoming text', () => {
    holds(
      fc.property(document, document, (base, incoming) => {
        expect(mergeText({ base, main: base, incoming })).toEqual({ text: incoming, conflicts: 0 });
      }),
    );
  });

  test('equal edits on both sides do not conflict', () => {
    holds(
      fc.property(document, document, (base, both) => {
        expect(mergeText({ base, main: both, incoming: both })).toEqual({ text: both, conflicts: 0 });
      }),
    );
  });

  test('applies edits of both sides that are separated by unchanged lines, in either order', () => {
    const disjoint = editedLines.map((lines) => separateLines(lines.filter(({ edit }) => edit !== 'both')));
    holds(
      fc.property(disjoint, (lines) => {
        const texts = createVersions(lines);
        const expected = write(lines, ['main', 'incoming'], String);
        expect(mergeText(texts)).toEqual({ text: expected, conflicts: 0 });
        expect(mergeText(swapSides(texts))).toEqual({ text: expected, conflicts: 0 });
      }),
    );
  });

  test('swapping the sides keeps the number of conflicts', () => {
    holds(
      fc.property(document, document, document, (base, main, incoming) => {
        const texts = { base, main, incoming };
        expect(mergeText(swapSides(texts)).conflicts).toBe(mergeText(texts).conflicts);
      }),
    );
  });

  test('the result contains every line that either side added', () => {
    holds(
      fc.property(editedLines, (lines) => {
        const texts = createVersions(lines);
        const { text } = mergeText(texts);
        const added = splitLines(texts.main + texts.incoming).filter((line) => !line.startsWith('line'));
        expect(splitLines(text)).toEqual(expect.arrayContaining(added));
      }),
    );
  });

  test('a line changed differently by both sides is a conflict', () => {
    holds(
      fc.property(editedLines, (lines) => {
        const opposed = lines.some(({ edit, adds }) => edit === 'both' && adds > 0);
        const { text, conflicts } = mergeText(createVersions(lines));
        expect(conflicts > 0).toBe(hasMarkers(text, 7));
        if (opposed) expect(conflicts).toBeGreaterThan(0);
      }),
    );
  });

  test('conflicts contain only lines of the three texts, byte for byte', () => {
    holds(
      fc.property(document, document, document, (base, main, incoming) => {
        const known = new Set(splitLines([base, main, incoming].join('\n')).flatMap((line) => [line, line.trim()]));
        for (const line of removeMarkerLines(mergeText({ base, main, incoming }).text)) {
          expect(known.has(line) || known.has(line.trim())).toBe(true);
        }
      }),
    );
  });

  test('the regions match node-diff3 where the longest common subsequence is unique', () => {
    holds(
      fc.property(editedLines, (lines) => {
        const texts = createVersions(lines);
        const [incoming, base, main] = [texts.incoming, texts.base, texts.main].map(splitLines);
        const regions = diff3Merge(incoming ?? [], base ?? [], main ?? []);
        const expected = regions.flatMap(({ ok, conflict }) =>
          conflict ? [...conflict.a, ...conflict.o, ...conflict.b] : (ok ?? []),
        );
        const { text, conflicts } = mergeText(texts);
        expect(conflicts).toBe(regions.filter(({ conflict }) => conflict).length);
        expect(removeMarkerLines(text)).toEqual(expected);
      }),
    );
  });
});

describe('the text of a merge', () => {
  test('a conflict is between markers', () => {
    const merged = mergeText({ base: 'a\nb\nc\n', main: 'a\nm\nc\n', incoming: 'a\ni\nc\n' });
    const lines = ['a', '<<<<<<< change request', 'i', '||||||| base', 'b', '=======', 'm', '>>>>>>> main', 'c', ''];
    expect(merged).toEqual({ text: lines.join('\n'), conflicts: 1, markerLength: 7 });
    expect(hasMarkers(merged.text, 7)).toBe(true);
  });

  test('edits of adjacent lines conflict', () => {
    expect(mergeText({ base: 'a\nb\n', main: 'x\nb\n', incoming: 'a\ny\n' }).conflicts).toBe(1);
  });

  test('a chunk without a final newline gets a newline before the marker', () => {
    const lines = ['<<<<<<< change request', 'i', '||||||| base', 'b', '=======', 'm', '>>>>>>> main', ''];
    expect(mergeText({ base: 'b', main: 'm', incoming: 'i' }).text).toBe(lines.join('\n'));
  });

  test('markers use the most common line ending', () => {
    const { text } = mergeText({ base: 'a\r\nb\r\n', main: 'a\r\nm\r\n', incoming: 'a\r\ni' });
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(hasMarkers(text, 7)).toBe(true);
  });

  test('line endings and a missing final newline are preserved', () => {
    const texts = { base: 'a\r\nb\nc\r\nd', main: 'A\r\nb\nc\r\nd', incoming: 'a\r\nb\nc\r\nD' };
    expect(mergeText(texts)).toEqual({ text: 'A\r\nb\nc\r\nD', conflicts: 0 });
  });

  test('a document emptied on one side and edited on the other conflicts', () => {
    expect(mergeText({ base: 'a\n', main: '', incoming: 'b\n' }).conflicts).toBe(1);
  });

  test('lines named like object members are ordinary lines', () => {
    const texts = { base: '__proto__\nx\nconstructor\n', main: 'x\nconstructor\n', incoming: '__proto__\nx\n' };
    expect(mergeText(texts)).toEqual({ text: 'x\n', conflicts: 0 });
  });
});

describe('the end of the last line', () => {
  test.each<[string, TextVersions, string]>([
    ['added on one side', { base: 'a\nb', main: 'a\nb\n', incoming: 'a\nB' }, 'a\nB\n'],
    ['added beside a change', { base: 'a\nx\nb', main: 'A\nx\nb\n', incoming: 'a\nx\nB' }, 'A\nx\nB\n'],
    ['removed', { base: 'a\nx\nb\n', main: 'a\nx\nb', incoming: 'A\nx\nb\n' }, 'A\nx\nb'],
    ['added with a line after it', { base: 'a\nx\nb', main: 'a\nx\nb\nc', incoming: 'A\nx\nb' }, 'A\nx\nb\nc'],
    ['a newline of two characters', { base: 'a\r\nb', main: 'a\r\nb\r\n', incoming: 'a\r\nB' }, 'a\r\nB\r\n'],
  ])('%s is not a conflict', (_what, texts, expected) => {
    expect(mergeText(texts)).toEqual({ text: expected, conflicts: 0 });
    expect(mergeText(swapSides(texts))).toEqual({ text: expected, conflicts: 0 });
  });

  test('never adds a conflict that the same texts with a final newline do not have', () => {
    const endWithNewline = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
    holds(
      fc.property(document, document, document, (base, main, incoming) => {
        if ([base, main, incoming].some((text) => text.includes('\r'))) return;
        const closed = { base: endWithNewline(base), main: endWithNewline(main), incoming: endWithNewline(incoming) };
        expect(mergeText({ base, main, incoming }).conflicts).toBe(mergeText(closed).conflicts);
      }),
    );
  });
});
