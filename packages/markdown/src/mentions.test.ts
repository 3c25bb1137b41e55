import { describe, expect, test } from 'vitest';
import { parseTree, renderTree } from './tree/parse-tree.ts';
import { getMentions, maxMentions } from './tree/references.ts';

describe('mentioned users', () => {
  test.each([
    ['at the start', '@usr_abc: look', ['usr_abc']],
    ['two users, one of them mentioned twice', '@usr_a @usr_b, (@usr_a)', ['usr_a', 'usr_b']],
    [
      'in marks, headings, lists, tables and the text of links',
      '# **@usr_a**\n\n* _@usr_b_\n\n| @usr_c |\n| --- |\n\n[@usr_d](x)',
      ['usr_a', 'usr_b', 'usr_c', 'usr_d'],
    ],
    ['beside letters that ids cannot have', 'こんにちは@usr_aさん', ['usr_a']],
    ['adjacent mentions', '@usr_a@usr_b', ['usr_a', 'usr_b']],
    ['after an escaped backslash', '\\\\@usr_a', ['usr_a']],
  ])('%s', (_name, markdown, users) => {
    expect(getMentions(markdown)).toEqual(users);
    expect(renderTree(parseTree(markdown))).toBe(markdown);
  });

  test.each([
    ['nobody', 'text'],
    ['a mail address', 'a@usr_abc.example'],
    ['a path', 'https://a.example/@usr_abc'],
    ['an escape', '\\@usr_abc'],
    ['code', '`@usr_abc` and\n\n```\n@usr_abc\n```\n\n    @usr_abc\n'],
    ['the address of a link', '[a](/@usr_abc) [b](<x @usr_abc>) [c][d] ![e](@usr_abc)\n\n[d]: @usr_abc'],
    ['an autolink', '<https://a.example/?@usr_abc>'],
    ['an attribute', 'a <a title="@usr_abc">b</a>'],
    ['a comment', '<!-- @usr_abc -->'],
    ['a longer word', '@usr_abc_d @usr_abc-d @usr_ @usrabc @@usr_abc'],
    ['an id of another kind', '@org_abc'],
    ['a name that is too long', `@usr_${'a'.repeat(41)}`],
  ])('finds no mention in %s', (_name, markdown) => {
    expect(getMentions(markdown)).toEqual([]);
    expect(renderTree(parseTree(markdown))).toBe(markdown);
  });
});

test('parses a mention into an inline node of the tree', () => {
  expect(parseTree('Hi @usr_abc!').nodes[0]?.nodes).toMatchObject([
    { leaves: [{ text: 'Hi ' }] },
    { object: 'inline', type: 'mention', data: { ref: { kind: 'user', user: 'usr_abc' } }, nodes: [], isVoid: true },
    { leaves: [{ text: '!' }] },
  ]);
});

test('returns at most one more mention than the limit', () => {
  const findCreatedMentions = (count: number) =>
    getMentions(Array.from({ length: count }, (_, index) => `@usr_${index}`).join(' '));
  expect([findCreatedMentions(maxMentions).length, findCreatedMentions(1_000).length]).toEqual([
    maxMentions,
    maxMentions + 1,
  ]);
});

/** Texts of about 8 kB at scale 1. */
const hostile: Record<string, (scale: number) => string> = {
  'at signs': (n) => `@usr_a ${'@'.repeat(n * 8_000)}`,
  'starts of mentions': (n) => '@usr_'.repeat(n * 1_600),
  mentions: (n) => '@usr_a '.repeat(n * 1_100),
  'mentions without spaces between them': (n) => '@usr_a'.repeat(n * 1_300),
  'underscores after it': (n) => `@usr_a${'_'.repeat(n * 8_000)}`,
  'a long name': (n) => `@usr_${'a'.repeat(n * 8_000)}`,
  'brackets around it': (n) => `${'['.repeat(n * 2_000)}@usr_a${']('.repeat(n * 2_000)}`,
  'escapes before it': (n) => `${'\\'.repeat(n * 8_000)}@usr_a`,
  'marks around it': (n) => '*_@usr_a'.repeat(n * 1_000),
};

describe('hostile texts take linear time', () => {
  const measureProcessorTime = (markdown: string): number => {
    const start = process.threadCpuUsage();
    getMentions(markdown);
    const { user, system } = process.threadCpuUsage(start);
    return user + system;
  };
  test.each(Object.entries(hostile))('%s', (_name, text) => {
    const [small, large] = [text(1), text(8)];
    measureProcessorTime(small);
    const most = Math.min(measureProcessorTime(small), measureProcessorTime(small)) * 20 + 200_000;
    // A measurement may include garbage collection, so it is repeated if it is too high.
    expect(Array.from({ length: 5 }).some(() => measureProcessorTime(large) < most)).toBe(true);
  });
});
