import { describe, expect, test } from 'vitest';
import { titleOf } from './title.ts';

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
  ])('%j: %s', (markdown, title) => {
    expect(titleOf(markdown)).toBe(title);
  });

  test.each(['', 'Only text', '    # code', '#hashtag', '---\ntitle: A\n---\n'])('%j has none', (markdown) => {
    expect(titleOf(markdown)).toBeUndefined();
  });
});
