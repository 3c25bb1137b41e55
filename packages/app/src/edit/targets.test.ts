import { expect, test } from 'vitest';
import { toStableTarget } from './targets.ts';

const links = { '../guide.md': 'page_a', 'guide.md#end': 'page_b', 'a.png': 'file_a', 'part.md': 'rc_a' };

test.each([
  ['../guide.md', '/pages/page_a'],
  ['../guide.md#start', '/pages/page_a#start'],
  ['guide.md#end', '/pages/page_b#end'],
  ['a.png', '/files/file_a'],
  ['part.md', '/reusable-contents/rc_a'],
  ['#start', '#start'],
  ['https://example.com/#a', 'https://example.com/#a'],
  ['unknown.md', 'unknown.md'],
  ['constructor', 'constructor'],
  ['toString#a', 'toString#a'],
])('the address %s refers to the same target as %s', (target, stable) => {
  expect(toStableTarget(links, target)).toBe(stable);
});
