import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { readFrontmatter } from './frontmatter.ts';
import type { FrontmatterValue } from './frontmatter-block.ts';
import { setFrontmatter } from './frontmatter-block.ts';
import { getTitle } from './title.ts';
import { prependHeading, replaceTitleHeading } from './write-heading.ts';

describe('setFrontmatter', () => {
  test.each<[string, string, FrontmatterValue, string | undefined]>([
    ['# A\n', 'icon', 'book', '---\nicon: book\n---\n\n# A\n'],
    ['\ufeffA\r\nB', 'icon', 'book', '\ufeff---\r\nicon: book\r\n---\r\n\r\nA\r\nB'],
    ['', 'noIndex', true, '---\nnoIndex: true\n---\n'],
    ['---\na: 1 # one\n\n# two\nb: [x]\n---\nT', 'c', 'd', '---\na: 1 # one\n\n# two\nb: [x]\nc: d\n---\nT'],
    ['---\na: "b" # why\nc: d\n---\n', 'a', 'e', '---\na: "e" # why\nc: d\n---\n'],
    ["---\na: 'b'\n---\n", 'a', "it's", "---\na: 'it''s'\n---\n"],
    ['---\na: b\n---\n', 'a', 'c: d #', '---\na: "c: d #"\n---\n'],
    ['---\na: b\n---\n', 'a', '1', '---\na: "1"\n---\n'],
    ['---\na: ~\n---\n', 'a', 'No', '---\na: "No"\n---\n'],
    ['---\na: Null\n---\n', 'a', '2024-01-01', '---\na: "2024-01-01"\n---\n'],
    ['---\na: >-\n  b\n  c\nd: 1\n---\n', 'a', 'e', '---\na: e\nd: 1\n---\n'],
    ['---\na: >-\n  b\n  c\nd: 1\n---\n', 'a', undefined, '---\nd: 1\n---\n'],
    ['---\r\na:\r\nb: 1\r\n---\r\n', 'a', 'x', '---\r\na: x\r\nb: 1\r\n---\r\n'],
    ['---\na: b # gone\n---\n\nT\n', 'a', undefined, 'T\n'],
    ['---\na: b\nc: [1, 2]\n---\nT', 'c', undefined, '---\na: b\n---\nT'],
    ['---\na: b\n---\n', 'c', undefined, '---\na: b\n---\n'],
    ['T', 'c', undefined, 'T'],
    ['---\na:\n  b: 1 # b\n  c: x\nd: 1\n---\n', 'a.b', 2, '---\na:\n  b: 2 # b\n  c: x\nd: 1\n---\n'],
    ['---\na:\n    b: 1\nd: 1\n---\n', 'a.c', true, '---\na:\n    b: 1\n    c: true\nd: 1\n---\n'],
    ['---\na:\n  b: 1\nd: 1\n---\n', 'a.b', undefined, '---\nd: 1\n---\n'],
    ['---\na:\n  b:\n    visible: true\n---\n', 'a.b', false, '---\na:\n  b:\n    visible: false\n---\n'],
    ['---\nd: 1\n---\n', 'a.b', false, '---\nd: 1\na:\n  b: false\n---\n'],
    ['---\ntitle: A: b\nicon: x\n---\n', 'icon', 'pen', '---\ntitle: A: b\nicon: pen\n---\n'],
    ['+++\na = "b"\n\n[t]\nc = 1\n+++\nT', 'a', 'c"', '+++\na = "c\\""\n\n[t]\nc = 1\n+++\nT'],
    ['+++\na = "b"\n[t]\nc = 1\n+++\nT', 'd', 'e', '+++\na = "b"\nd = "e"\n[t]\nc = 1\n+++\nT'],
    ['---\n{a: b}\n---\n', 'a', 'c', undefined],
    ['---\na: b\na: c\n---\n', 'a', 'c', undefined],
    ['---\na: &x b\nc: *x\n---\n', 'c', 'd', undefined],
    ['---\nlayout: home\n---\n', 'layout.title', false, undefined],
    ['+++\na = "b"\n+++\n', 'a.b', 'c', undefined],
  ])('in %j, sets %s to %j', (markdown, path, value, written) => {
    expect(setFrontmatter(markdown, path.split('.'), value)).toBe(written);
  });

  test('writes a value that parses back to the same value, and changes nothing else', () => {
    const lines = ['a: b', "icon: 'x'", 'icon: "x" # y', 'icon: |\n  x', 'icon:', '# icon', 'z: [1]', '', 'd:\n  e: 1'];
    const block = fc.uniqueArray(fc.constantFrom(...lines), { maxLength: 5, selector: (line) => line.split(':')[0] });
    const value = fc.option(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), { nil: undefined });
    holds(
      fc.property(block, value, fc.constantFrom('---', ''), (entries, icon, fence) => {
        const text = fence === '' ? 'Body\n' : `---\n${entries.join('\n')}\n---\nBody\n`;
        const { values, bodyOffset } = readFrontmatter(text);
        const written = setFrontmatter(text, ['icon'], icon);
        if (written === undefined || (fence !== '' && bodyOffset === 0)) return;
        const now = readFrontmatter(written);
        expect(now.values).toEqual({ ...values, icon });
        expect(written.slice(now.bodyOffset).trim()).toBe(text.slice(bodyOffset).trim());
      }),
      { numRuns: 1500 },
    );
  });
});

describe('withHeading and withFirstHeading', () => {
  test.each([
    ['# A\n\nB', 'C', '# C\n\nB'],
    ['---\na: b\n---\n\nText\r\n\r\n##  A  ## \r\nB', 'C', '---\na: b\n---\n\nText\r\n\r\n##  C  ## \r\nB'],
    ['# A {#id}\n', 'C', '# C {#id}\n'],
    ['# A <a href="#id" id="id"></a>\n', 'C', '# C <a href="#id" id="id"></a>\n'],
    ['A\nb\n===\nB', 'C', 'C\n===\nB'],
    ['# `a`', 'x *y*', '# x \\*y\\*'],
    ['\ufeff# A', 'C#', '\ufeff# C#'],
  ])('replaces the heading of %j with %s', (markdown, title, written) => {
    expect(replaceTitleHeading(markdown, title)).toBe(written);
    expect(getTitle(written)).toBe(title);
  });

  const held = ['# A [![b](b.svg)](c)\n', '# [A](b.md)\n', '# A<br>b\n'];
  test.each(['', 'Text', '<h1>A</h1>\n', '---\ntitle: A\n---\n', ...held])(
    '%j has no heading that can be replaced',
    (markdown) => {
      expect(replaceTitleHeading(markdown, 'A')).toBeUndefined();
    },
  );

  test.each([
    ['', '# A\n'],
    ['Text', '# A\n\nText'],
    ['\ufeff\nText', '\ufeff# A\n\nText'],
    ['---\na: b\n---\n\nText\n', '---\na: b\n---\n\n# A\n\nText\n'],
    ['## Other\r\n', '# A\r\n\r\n## Other\r\n'],
  ])('adds a heading to %j', (markdown, written) => {
    expect(prependHeading(markdown, 'A')).toBe(written);
  });

  test('handles long texts and titles in linear time', () => {
    for (const text of [`# a${' '.repeat(60_000)}b\n`, `# ${'#'.repeat(60_000)}\n`, `a${' \n'.repeat(30_000)}===\n`]) {
      const start = process.threadCpuUsage();
      replaceTitleHeading(text, 'C');
      prependHeading(text, 'C');
      expect(process.threadCpuUsage(start).user).toBeLessThan(1_000_000);
    }
  });
});
