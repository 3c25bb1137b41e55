import { getLinks, getSections, getTitle, readFrontmatter, rewriteTargets, slugify } from '@octavo/markdown';
import { describe, expect, test } from 'vitest';
import { getShare } from '../../../test/support/random.ts';
import { hasMarkers, selectSide } from './conflict-markers.ts';
import { diffLines } from './diff-lines.ts';
import { mergeText } from './merge-text.ts';

/** CPU time, so that load on the machine matters little. An algorithm that is not near-linear takes minutes. */
const LIMIT_MS = 1_500;
const UNIT_COUNT = 25_000;

const documents: Record<string, string> = {
  'many spaces': ' '.repeat(200_000),
  'many newlines': '\n'.repeat(200_000),
  brackets: '['.repeat(UNIT_COUNT),
  'targets of spaces': `[a](${' '.repeat(200_000)}`,
  'links in links': `${'[a '.repeat(UNIT_COUNT)}${'](b) '.repeat(UNIT_COUNT)}`,
  'attributes of spaces': `<a${' '.repeat(200_000)}b>`,
  'unclosed attributes': '<a href="'.repeat(UNIT_COUNT),
  'link starts': '[a](<b'.repeat(UNIT_COUNT),
  'unclosed titles': '[a](b "'.repeat(UNIT_COUNT),
  quotes: '>'.repeat(UNIT_COUNT),
  stars: '*'.repeat(UNIT_COUNT),
  'mixed emphasis': '*a_ **b~~'.repeat(UNIT_COUNT),
  backticks: '`'.repeat(UNIT_COUNT),
  'backticks of all lengths': Array.from({ length: 900 }, (_, n) => '`'.repeat(n + 1)).join(' '),
  'comment starts': `x${'<!--'.repeat(UNIT_COUNT)}`,
  'comment starts in HTML': `<div>\n${'<!--'.repeat(UNIT_COUNT)}`,
  'tag starts': '<a '.repeat(UNIT_COUNT),
  'a tag with a long name': `<${'a'.repeat(200_000)}`,
  entities: '&#x'.repeat(UNIT_COUNT),
  'block tag starts': '{% '.repeat(UNIT_COUNT),
  'a table of 10,000 rows': `| a | b |\n|---|---|\n${'| `x` | [y](z) |\n'.repeat(10_000)}`,
  'a list nested 5,000 deep': '- '.repeat(5_000),
  'a stair of lists': Array.from({ length: 1_000 }, (_, n) => `${' '.repeat(n)}- a`).join('\n'),
  'equal headings': '# a\n'.repeat(UNIT_COUNT),
  'reference definitions': '[a]: b\n'.repeat(UNIT_COUNT),
  'nested labels': `${`${'['.repeat(400)}a${']'.repeat(400)} `.repeat(500)}\n\n[a]: b`,
  'YAML brackets': `---\na: ${'['.repeat(65_000)}\n---\n`,
  'YAML aliases': `---\na: &a x\ntitle: [${'*a,'.repeat(10_000)}]\n---\n`,
  'YAML keys': `---\n${'title:\n'.repeat(4_500)}---\n`,
  'marker starts': '<<<<<<< change request\n'.repeat(20_000),
};

const texts: Record<string, [string, string, string]> = {
  'equal lines': ['a\n'.repeat(1.5e5), `x\n${'a\n'.repeat(1.5e5)}`, `${'a\n'.repeat(1.5e5)}y\n`],
  'equal lines in different numbers': [
    'a\n'.repeat(1.25e5),
    `b\n${'a\n'.repeat(7.5e4)}b\n`,
    `c\n${'a\n'.repeat(1e5)}c\n`,
  ],
  'random lines of two kinds': [createRandomText(1, 1e5), createRandomText(2, 1e5), createRandomText(3, 1e5)],
  'different lines': [createNumberLines(0, 1), createNumberLines(1e6, 1), createNumberLines(2e6, 1)],
  'lines in reverse': [createNumberLines(0, 1), createNumberLines(UNIT_COUNT, -1), createNumberLines(50, 1)],
};

function createRandomText(seed: number, count: number): string {
  let state = seed;
  const createRandomNumber = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state >> 16;
  };
  return Array.from({ length: count }, () => (createRandomNumber() % 2 ? 'a\n' : 'b\n')).join('');
}

function createNumberLines(start: number, step: number): string {
  return Array.from({ length: UNIT_COUNT }, (_, n) => `${start + n * step}\n`).join('');
}

function getMilliseconds(work: () => unknown): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}

const rewriteAllTargets = (markdown: string) => rewriteTargets(markdown, () => 'x');
const readMarkers = (markdown: string) => [hasMarkers(markdown, 7), selectSide(markdown, 7, 'main')];
const readers = {
  readFrontmatter,
  titleOf: getTitle,
  sectionsOf: getSections,
  slugify,
  marked: readMarkers,
  linksOf: getLinks,
  rewritten: rewriteAllTargets,
};

describe.each(Object.entries(readers))('%s takes only seconds for', (_name, read) => {
  test.each(getShare(Object.entries(documents), 2))('%s', (_document, markdown) => {
    expect(getMilliseconds(() => read(markdown))).toBeLessThan(LIMIT_MS);
  });
});

describe('line operations take only seconds for', () => {
  test.each(Object.entries(texts))('%s', (_text, [base, main, incoming]) => {
    expect(getMilliseconds(() => mergeText({ base, main, incoming }))).toBeLessThan(LIMIT_MS);
    expect(getMilliseconds(() => diffLines(main, incoming))).toBeLessThan(LIMIT_MS);
  });

  test.each(getShare(Object.entries(documents), 2, 1))('edits of %s', (_document, base) => {
    const half = base.slice(0, base.length / 2);
    const work = () => mergeText({ base, main: `x\n${base}y`, incoming: `${half}z\n${base.slice(half.length)}` });
    expect(getMilliseconds(work)).toBeLessThan(LIMIT_MS);
  });
});

test('a merge beyond its limits becomes a single conflict between the two sides', () => {
  const [base, main, incoming] = [createRandomText(1, 2e4), createRandomText(2, 2e4), createRandomText(3, 2e4)];
  const { text, conflicts } = mergeText({ base, main, incoming });
  expect(conflicts).toBe(1);
  expect(text.length).toBeGreaterThan(base.length + main.length + incoming.length - 200);
  expect(diffLines(main, incoming).added).toBeGreaterThan(19_900);
});
