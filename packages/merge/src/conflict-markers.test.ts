import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { hasMarkers, selectSide } from './conflict-markers.ts';
import { mergeText } from './merge-text.ts';

test('uses longer markers than those in the text', () => {
  const example = mergeText({ base: 'a\n', main: 'm\n', incoming: 'i\n' }).text;
  const createFence = (line: string) => `\`\`\`\n${example}\`\`\`\n\n${line}\n`;
  const texts = { base: createFence('b'), main: createFence('m'), incoming: createFence('i') };
  const { text, markerLength = 0 } = mergeText(texts);

  expect(markerLength).toBe(8);
  expect(hasMarkers(texts.incoming, markerLength)).toBe(false);
  expect(hasMarkers(text, markerLength)).toBe(true);
  expect(selectSide(text, markerLength, 'incoming')).toBe(texts.incoming);
  expect(selectSide(text, markerLength, 'main')).toBe(texts.main);
});

test('markers are never mistaken for lines of the texts: each side can be restored', () => {
  const line = fc.constantFrom(
    'a',
    'b',
    '=======',
    '========',
    '<<<<<<< change request',
    '>>>>>>> main',
    '||||||| base',
  );
  const marked = fc.array(line, { maxLength: 8 }).map((lines) => lines.map((each) => `${each}\n`).join(''));
  holds(
    fc.property(marked, marked, marked, (base, main, incoming) => {
      const { text, conflicts, markerLength = 7 } = mergeText({ base, main, incoming });
      if (conflicts === 0) return;
      expect([main, incoming, base].some((side) => hasMarkers(side, markerLength))).toBe(false);
      for (const side of ['main', 'incoming'] as const) {
        const selected = selectSide(text, markerLength, side);
        expect(selected).toBeDefined();
        expect(hasMarkers(selected ?? '', markerLength)).toBe(false);
      }
    }),
  );
});

test.each([
  ['<<<<<<< change request\r\na\r\n||||||| base\r\n=======\r\nb\r\n>>>>>>> main', true],
  ['b\n>>>>>>> main\n', true],
  ['a <<<<<<< change request\n=======\na >>>>>>> main\n', false],
  ['<<<<<<< change request!\n=======\n>>>>>>>> main\n', false],
  ['Title\n=======\n', false],
  ['', false],
])('finds markers in %j: %s', (text, expected) => {
  expect(hasMarkers(text, 7)).toBe(expected);
});

test.each([
  'a\n>>>>>>> main\n',
  '<<<<<<< change request\na\n',
  '<<<<<<< change request\na\n=======\nb\n>>>>>>> main\n',
])('incomplete markers have no sides: %j', (text) => {
  expect(selectSide(text, 7, 'main')).toBeUndefined();
});

test('does not take an underlined title for a marker', () => {
  const text = 'T\n=======\n<<<<<<< change request\ni\n||||||| base\n=======\nm\n>>>>>>> main\nT\n=======\n';

  expect(selectSide(text, 7, 'main')).toBe('T\n=======\nm\nT\n=======\n');
});
