import { expect, test } from 'vitest';
import { publishSite } from '../content/visitors/visitor-client.ts';
import { edit, json, makeChangeRequest, makePage, merge, searchSpace } from '../support/content.ts';
import { query } from '../support/database.ts';
import { until } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { measureRuntimeTime } from '../support/runtime-time.ts';

const size = 45_000;

/** Texts that have been slow to parse or index. `part` scales their length. */
function getHostileTexts(part: number): Record<string, string> {
  const fill = (text: string, total = size) => text.repeat(Math.floor((part * total) / text.length));
  /** Joins `count` steps of increasing length. The total length is quadratic in `count`. */
  const joinSteps = (count: number, step: (index: number) => string, between = '') =>
    Array.from({ length: Math.floor(count * Math.sqrt(part)) }, (_, index) => step(index)).join(between);
  return {
    spaces: fill(' '),
    'spaces before a word': `${fill(' ')}x`,
    'line breaks': fill('\n'),
    'nested brackets': fill('['),
    'closed brackets': `${fill('[', size / 2)}${fill(']', size / 2)}`,
    'links in links': fill('[a](', size),
    'images in images': fill('![a](', size),
    quotes: fill('>', 5000),
    'quotes in lines': fill(`${'> '.repeat(200)}a\n`),
    'nested lists': joinSteps(460, (depth) => `${' '.repeat(depth)}- x\n`),
    asterisks: fill('*'),
    'asterisks and letters': fill('*a_'),
    backticks: joinSteps(650, (length) => '`'.repeat(length), ' '),
    'open fences': fill('```x\n'),
    'table rows': `|a|b|\n|-|-|\n${fill('|x|y|\n')}`,
    'a wide table': `${fill('|a', 10_000)}\n${fill('|-', 10_000)}\n${fill('|x', 10_000)}`,
    'heading marks': fill('# a\n'),
    'open tags': fill('<a '),
    'comments that never end': fill('<!-- '),
    entities: fill('&amp'),
    autolinks: fill('<http://a'),
    'reference definitions': fill('[a]: b\n'),
    frontmatter: `---\n${fill('a: b\n')}---\n`,
    'frontmatter that never ends': `---\n${fill('- ')}`,
    'frontmatter of aliases': `---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]\n---\n`,
    'one long word': fill('x'),
    'combining marks': `a${fill('\u0301', 20_000)}`,
    ideographs: fill('所', 15_000),
    emoji: fill('\u{1f468}\u200d\u{1f469}\u200d', 20_000),
    'conditions of templates': fill('{% if site.a %}a'),
    'conflict markers': fill('<<<<<<< a\n=======\n>>>>>>> b\n'),
  };
}

/**
 * Maximum CPU time for all operations on a page. If a page takes longer, the machine may be slow, so the test compares
 * the time with the time for a text an eighth as long.
 */
const cheapMilliseconds = 1250;

const hostile = getHostileTexts(1);
const eighth = getHostileTexts(1 / 8);
// The shorter text would be parsed as frontmatter and rejected.
eighth.frontmatter = `\n${eighth.frontmatter}`;

/** Paths that renderers read for a page. */
const listReadPaths = (page: string, revision: string): string[] => [
  `/revisions/${revision}/page/${page}/document?evaluated=deterministic-only&dereferenced=reusable-contents`,
  `/content/page/${page}?format=document`,
  `/content/page/${page}?format=markdown&format.markdown.refs=stable`,
];

const waitForEvents = (space: string) =>
  until(() =>
    query('SELECT 1 FROM outbox WHERE space = ? AND done_at IS NULL', space).length === 0 ? true : undefined,
  );

/** Measures the CPU time of the runtime for all operations on a page with this text. */
async function measurePageCost(markdown: string): Promise<number> {
  const { space, visit } = await publishSite();
  await makePage(space, 'Of some', '', { condition: 'visitor.claims.staff' });
  await waitForEvents(space.id);
  const before = measureRuntimeTime(platform());

  const page = await makePage(space, 'Hostile', markdown);
  const read = await json<{ markdown: string }>(`/v1/spaces/${space.id}/content/page/${page}`, space);
  for (const path of listReadPaths(page, (await visit().head()).id)) await visit().callJson(path);
  const { id } = await makeChangeRequest(space);
  const changed = `${markdown}\n\nAt the end.\n`;
  await edit(space, [{ operation: 'update_page', page, document: { markdown: changed } }], id);
  await json(`/v1/spaces/${space.id}/change-requests/${id}/changes`, space);
  expect((await merge(space, id)).status).toBe(200);
  expect(markdown.startsWith('---') || read.markdown === markdown).toBe(true);
  await waitForEvents(space.id);
  return measureRuntimeTime(platform()) - before;
}

test.each(Object.entries(hostile))(
  '%s: can be written, read, published, changed, compared and merged in linear time',
  { timeout: 300_000 },
  async (name, markdown) => {
    const cost = await measurePageCost(markdown);
    if (cost < cheapMilliseconds) return;
    const small = eighth[name] ?? '';
    const most = 16 * Math.min(await measurePageCost(small), await measurePageCost(small)) + 1000;

    // Concurrent tests share the CPU caches, so a slow run is repeated once.
    expect(cost < most ? cost : await measurePageCost(markdown)).toBeLessThan(most);
  },
);

test('does not delay the indexing of later pages', { timeout: 300_000 }, async () => {
  const space = await platform().makeSpace();
  for (const [title, markdown] of Object.entries(hostile)) await makePage(space, title, markdown);
  const page = await makePage(space, 'After all', 'Some platypus.');

  const change = await until(async () => {
    const { items } = await json<{ items: { id: string }[] }>(`/v1/spaces/${space.id}/search?query=platypus`, space);
    return items[0];
  });

  expect(change).toMatchObject({ id: page });
});

test('finds a page with very many sections by words of its first and last section', async () => {
  const space = await platform().makeSpace();
  await makePage(space, 'Many', `# alpaca\n\n${'# a\n'.repeat(5000)}\n# wombat\n\nlast word`);
  const searchTitles = async (query: string) => (await searchSpace(space, query)).items.map(({ title }) => title);
  await until(async () => (await searchTitles('alpaca'))[0]);

  expect(await searchTitles('wombat')).toEqual(['Many']);
  expect(await searchTitles('last word')).toEqual(['Many']);
});
