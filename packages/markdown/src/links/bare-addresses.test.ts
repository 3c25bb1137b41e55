import { expect, test } from 'vitest';
import { parseTree } from '../tree/parse-tree.ts';
import { publishTree } from '../tree/published-tree.ts';
import { findBareAddresses } from './bare-addresses.ts';

const read = (text: string) => findBareAddresses(text).map(({ start, end, url }) => [text.slice(start, end), url]);

test.each<[text: string, ...addresses: [text: string, url?: string][]]>([
  ['See https://example.com/docs for more', ['https://example.com/docs']],
  ['or www.example.com/a?b=c#d.', ['www.example.com/a?b=c#d', 'http://www.example.com/a?b=c#d']],
  ['https://example.com/a_b_c', ['https://example.com/a_b_c']],
  ['(https://example.com/a_(b))', ['https://example.com/a_(b)']],
  ['http://localhost:4000/x, then', ['http://localhost:4000/x']],
  ['"https://example.com/"', ['https://example.com/']],
  ['https://example.com/a&amp; https://example.com/b;', ['https://example.com/a'], ['https://example.com/b;']],
  ['请看https://example.com/文档。', ['https://example.com/文档']],
  ['write to a.b+c@example.com.', ['a.b+c@example.com', 'mailto:a.b+c@example.com']],
  ['mailto:a@b.example', ['mailto:a@b.example', 'mailto:a@b.example']],
  ['xhttps://example.com xwww.example.com www. www.a_b.c a@b a@b-.'],
  ['https:// http://_ https://a_b.c_d ftp://example.com @usr_a example.com'],
])('finds the addresses in %j', (text, ...addresses) => {
  expect(read(text)).toEqual(addresses.map(([addressText, url = addressText]) => [addressText, url]));
});

test('does not link addresses in links and code, and keeps bold or italics of a linked address', () => {
  const { nodes } = publishTree(parseTree('[a https://b.example](c) `https://d.example` **https://e.example/**'), {
    includes: () => undefined,
  });

  expect(nodes).toMatchObject([
    {
      nodes: [
        { type: 'link', data: { ref: { url: 'c' } }, nodes: [{ leaves: [{ text: 'a https://b.example' }] }] },
        { leaves: [{ text: ' ' }, { text: 'https://d.example' }, { text: ' ' }] },
        {
          type: 'link',
          data: { ref: { url: 'https://e.example/' } },
          nodes: [{ leaves: [{ marks: [{ type: 'bold' }] }] }],
        },
      ],
    },
  ]);
});

test('hostile texts take linear time', () => {
  const texts = [
    ')'.repeat(40_000),
    'https://'.repeat(20_000),
    `https://a.b/${'('.repeat(80_000)}`,
    'a@'.repeat(50_000),
    'www.'.repeat(40_000),
    '&a;'.repeat(30_000),
  ];
  for (const text of texts) {
    const start = process.threadCpuUsage();
    findBareAddresses(`https://a.b/${text}`);
    const { user, system } = process.threadCpuUsage(start);
    expect((user + system) / 1000, text.slice(0, 20)).toBeLessThan(500);
  }
});
