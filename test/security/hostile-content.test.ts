import { expect, test } from 'vitest';
import { published } from '../content/visitors/visitor-client.ts';
import { edit, json, makeChangeRequest, makePage, merge, searchSpace } from '../support/content.ts';
import { until } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { isOfAll } from '../support/random.ts';

const size = 900_000;
const share = isOfAll ? 1 : 0.1;
const fill = (part: string, total = size) => part.repeat(Math.floor((share * total) / part.length));

/** Texts on which parsers of markdown, of frontmatter and of words have been slow. */
const hostile: Record<string, string> = {
  spaces: fill(' '),
  'spaces before a word': `${fill(' ')}x`,
  'line breaks': fill('\n'),
  'nested brackets': fill('['),
  'closed brackets': `${fill('[', size / 2)}${fill(']', size / 2)}`,
  'links in links': fill('[a](', size),
  'images in images': fill('![a](', size),
  quotes: fill('>', 100_000),
  'quotes in lines': fill(`${'> '.repeat(200)}a\n`),
  'nested lists': Array.from({ length: 900 }, (_, depth) => `${' '.repeat(depth)}- x\n`).join(''),
  asterisks: fill('*'),
  'asterisks and letters': fill('*a_'),
  backticks: Array.from({ length: 1300 }, (_, length) => '`'.repeat(length)).join(' '),
  'open fences': fill('```x\n'),
  'table rows': `|a|b|\n|-|-|\n${fill('|x|y|\n')}`,
  'a wide table': `${fill('|a', 200_000)}\n${fill('|-', 200_000)}\n${fill('|x', 200_000)}`,
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
  'combining marks': `a${fill('\u0301', 400_000)}`,
  ideographs: fill('所', 300_000),
  emoji: fill('\u{1f468}\u200d\u{1f469}\u200d', 400_000),
  'conflict markers': fill('<<<<<<< a\n=======\n>>>>>>> b\n'),
};

/** Of a request that takes its turn with those of other test files; alone none takes a second. */
const longestMilliseconds = 4000;

/** What renderers ask of a page. */
const readings = (page: string, revision: string): string[] => [
  `/revisions/${revision}/page/${page}/document?evaluated=deterministic-only&dereferenced=reusable-contents`,
  `/content/page/${page}?format=document`,
  `/content/page/${page}?format=markdown&format.markdown.refs=stable`,
];

test.each(Object.entries(hostile))(
  '31: %s: written, read, published, changed, compared and merged in time',
  async (_, markdown) => {
    const { space, visit } = await published();
    const times: number[] = [];
    const timed = async <Value>(work: Promise<Value>): Promise<Value> => {
      const started = performance.now();
      const value = await work;
      times.push(performance.now() - started);
      return value;
    };

    await makePage(space, 'Of some', '', { condition: 'visitor.claims.staff' });
    const page = await timed(makePage(space, 'Hostile', markdown));
    const read = await timed(json<{ markdown: string }>(`/v1/spaces/${space.id}/content/page/${page}`, space));
    for (const path of readings(page, (await visit().head()).id)) await timed(visit().ok(path));
    const { id } = await makeChangeRequest(space);
    const changed = `${markdown}\n\nAt the end.\n`;
    await timed(edit(space, [{ operation: 'update_page', page, document: { markdown: changed } }], id));
    await timed(json(`/v1/spaces/${space.id}/change-requests/${id}/changes`, space));
    const merged = await timed(merge(space, id));

    expect(merged.status).toBe(200);
    expect(markdown.startsWith('---') || read.markdown === markdown).toBe(true);
    expect(Math.max(...times)).toBeLessThan(longestMilliseconds);
  },
);

test('31: none of it keeps the index from the pages that come after', async () => {
  const space = await platform().makeSpace();
  for (const [title, markdown] of Object.entries(hostile)) await makePage(space, title, markdown);
  const page = await makePage(space, 'After all', 'Some platypus.');

  const found = await until(async () => {
    const { items } = await json<{ items: { id: string }[] }>(`/v1/spaces/${space.id}/search?query=platypus`, space);
    return items[0];
  });

  expect(found).toMatchObject({ id: page });
});

test('31: a page of very many sections is found by the words of the first and of the last', async () => {
  const space = await platform().makeSpace();
  await makePage(space, 'Many', `# alpaca\n\n${'# a\n'.repeat(5000)}\n# wombat\n\nlast word`);
  const words = async (query: string) => (await searchSpace(space, query)).items.map(({ title }) => title);
  await until(async () => (await words('alpaca'))[0]);

  expect(await words('wombat')).toEqual(['Many']);
  expect(await words('last word')).toEqual(['Many']);
});
