import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readWebPage } from '@octavo/website';
import { describe, expect, test } from 'vitest';

/** The published manual of npm, and the Markdown that it was generated from. */
const manual = path.resolve('test/node_modules/npm/docs');
const pages = readdirSync(path.join(manual, 'output'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.html'))
  .sort();

const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Returns the share of words that two texts have in common, from 0 to 1. */
function measureSimilarity(first: string[], second: string[]): number {
  const counts = new Map<string, number>();
  for (const word of first) counts.set(word, (counts.get(word) ?? 0) + 1);
  let same = 0;
  for (const word of second) {
    const count = counts.get(word) ?? 0;
    if (count > 0) same += 1;
    counts.set(word, count - 1);
  }
  return (2 * same) / (first.length + second.length);
}

const removeAddresses = (markdown: string): string =>
  markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^\[[^\]]+\]:.*$/gm, '');

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };
const toPlainText = (html: string): string =>
  html.replace(/<[^>]*>/g, '').replace(/&([\w#]+);/g, (all, name: string) => entities[name] ?? all);

/** Pages that are also published under a second name. */
const sources: Record<string, string> = { 'npm-json': 'package-json', 'npm-global': 'folders' };

test('imports the whole manual', () => {
  expect(pages.length).toBeGreaterThan(80);
});

describe.each(pages)('%s', (file) => {
  const html = readFileSync(path.join(manual, 'output', file), 'utf8');
  const page = readWebPage(html, `https://docs.example/${file}`);
  const name = path.basename(file, '.html');
  const written = readFileSync(path.join(manual, 'content', path.dirname(file), `${sources[name] ?? name}.md`), 'utf8');

  test('has the title, description and text of its source, and no other text', () => {
    expect(page.title).toBe(/^title: (.*)$/m.exec(written)?.[1]);
    expect(page.description).toBe(/^description: (.*)$/m.exec(written)?.[1]);
    expect(
      measureSimilarity(splitWords(removeAddresses(written)), splitWords(removeAddresses(page.markdown))),
    ).toBeGreaterThan(0.99);
    expect(page.markdown).not.toMatch(/table of contents|edit this page|command-line interface/i);
  });

  test('has all code blocks unchanged, and all headings and tables', () => {
    const blocks = [...html.matchAll(/<pre><code(?: class="language-([^"]*)")?>([\s\S]*?)<\/code><\/pre>/g)];
    for (const [, language = '', code = ''] of blocks) {
      const lines = toPlainText(code).replace(/\n$/, '').split('\n');
      const block = page.markdown.match(new RegExp(`^ *\`\`\`+${language.replace(/\W/g, '\\$&')}\n`, 'm'));
      expect(block).not.toBeNull();
      const said = page.markdown.split('\n').map((line) => line.trim());
      for (const line of lines) expect(said).toContain(line.trim());
      if (!/^ +```/m.test(page.markdown)) expect(page.markdown).toContain(`\n${lines.join('\n')}\n`);
    }
    expect(page.markdown.match(/^ *```/gm)?.length ?? 0).toBe(2 * blocks.length);
    expect(page.markdown.match(/^\| (?::?-+:? \| ?)+$/gm)?.length ?? 0).toBe(html.match(/<table/g)?.length ?? 0);
  });

  test('links only to absolute URLs', () => {
    for (const [, target = ''] of page.markdown.matchAll(/\]\(<?([^)>\s]*)/g)) expect(target).toMatch(/^https?:\/\//);
    expect(page.links).toEqual([...new Set(page.links)]);
  });
});
