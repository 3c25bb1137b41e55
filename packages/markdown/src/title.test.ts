import { PageTitle } from '@octavo/schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { cleanTitle, getTitle } from './title.ts';

describe('the title of a document', () => {
  test.each([
    ['---\nslug: a\n---\n\n# One\n\n# Two', 'One'],
    ['Text\n\nSetext *title*\n===\n', 'Setext title'],
    ['## `match` and [link](https://a.example "t") ##', 'match and link'],
    ['# ![logo](a.png) **bold** _it_ ~~old~~ &amp; \\*star\\* <b>tag</b>', 'logo bold it old & *star* tag'],
    ['# snake_case_name and 2 * 3', 'snake_case_name and 2 * 3'],
    ['# `` a`b `` [x][ref] [ ] <https://a.example>', 'a`b [x][ref] [ ] https://a.example'],
    ['```\n# code\n```\n\n> # quote\n\n- # item\n\n# Real', 'Real'],
    ['# [a][R] [r] ![r][] [b] [c][d]\n\n[r]: https://a.example', 'a r r [b] [c][d]'],
    ['#\n\n# Filled', 'Filled'],
    ['# \u0001&#1;\n\n# a\u0001b\u0085', '&#1;'],
    ['# \u0001\n\n# a\u0001\u0007b\u0085', 'a b'],
  ])('the title of %j is %s', (markdown, title) => {
    expect(getTitle(markdown)).toBe(title);
  });

  test.each(['', 'Only text', '    # code', '#hashtag', '---\ntitle: A\n---\n'])('%j has no title', (markdown) => {
    expect(getTitle(markdown)).toBeUndefined();
  });

  test('does not change if the heading is not at the start of the document', () => {
    const parts = [
      ...['# ', '## a', '#b', '    # c', ' # d', '#', '-', '===', '---', '\n', '\n\n', '\r\n', '\r', ' ', '\t'],
      ...['> ', '* ', '[e]', '[e]: /f', '\\', '<!--', '-->', '`', '```', '&#1;', '\u0001', 'g', '**', ' #'],
    ];
    holds(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), (chosen) => {
        const text = `\n${chosen.join('')}`;
        expect(getTitle(text)).toBe(getTitle(`<!-- -->\n${text}`));
      }),
      { numRuns: 5000 },
    );
  });

  test('has no lone surrogate at the search limit', () => {
    expect(getTitle(`${'\n'.repeat(65_531)}# a 😀`)).toBe('a');
  });
});

describe('cleanTitle', () => {
  test.each([
    ['a\tb\r\nc', 'a b c'],
    [' \u0000 a ', 'a'],
    ['a\u2028b\u2029c', 'a b c'],
    ['\u0085\u3000', ''],
    ['a\ud800b', 'a\ufffdb'],
    [' kept  as it is ', ' kept  as it is '],
  ])('cleans %j to %j', (text, title) => {
    expect(cleanTitle(text)).toBe(title);
  });

  test('returns at most 512 characters, and no lone surrogate', () => {
    expect(cleanTitle(`${'a'.repeat(511)}😀b`)).toBe(`${'a'.repeat(511)}😀`);
    expect(cleanTitle('😀'.repeat(600))).toBe('😀'.repeat(512));
    expect(cleanTitle(`${'a'.repeat(511)} b`)).toBe('a'.repeat(511));
  });

  test('returns an empty title or one that a change accepts', () => {
    const unit = fc.constantFrom('a', ' ', '\u0000', '\u0085', '\u2028', '\ufeff', '\ud83d', '\ude00', 'x'.repeat(200));
    holds(
      fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
        const title = cleanTitle(text);
        expect(title === '' || PageTitle.safeParse(title).success).toBe(true);
        expect(cleanTitle(title)).toBe(title);
      }),
    );
  });
});
