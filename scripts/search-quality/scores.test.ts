import { expect, test } from 'vitest';
import { splitPage } from './mini-search.ts';
import { findFolder, kinds, readQueries } from './queries.ts';
import { judge, summarize } from './scores.ts';

const query = { query: 'a', corpus: 'docs', kind: 'title', pages: ['b.md', 'c.md'], held: false } as const;

test('the rank of a query is that of the first right page among ten results', async () => {
  const rankIn = (results: string[]) => judge(async () => results, { ...query, pages: [...query.pages] });

  expect(await rankIn(['a.md', 'c.md', 'b.md'])).toEqual({ rank: 2, hasHits: true });
  expect(await rankIn([...'defghijklm', 'b.md'])).toEqual({ rank: undefined, hasHits: true });
  expect(await rankIn([])).toEqual({ rank: undefined, hasHits: false });
});

test('the scores are means of all queries', () => {
  const scores = summarize([
    { rank: 1, hasHits: true },
    { rank: 2, hasHits: true },
    { rank: undefined, hasHits: true },
    { rank: undefined, hasHits: false },
  ]);

  expect(scores).toEqual({ successAt1: 0.25, successAt3: 0.5, mrr: 0.375, withoutHits: 0.25 });
});

test('a page is split into title, headings and text, and code has no headings', () => {
  const markdown = '# Set up\n\nSee [it](a.md).\n\n## Install\n\n```sh\n# a comment\n```\n\n## Run\n';

  expect(splitPage('a.md', markdown)).toEqual({
    id: 'a.md',
    title: 'Set up',
    headings: 'Install\nRun',
    text: expect.stringMatching(/See \[it .*# a comment/s),
  });
});

test('queries are spread evenly over corpora and kinds, and a third of each is held out', async () => {
  const cells = (queries: Awaited<ReturnType<typeof readQueries>>) =>
    ['rust-book', 'docs'].flatMap((corpus) =>
      kinds.map((kind) => queries.filter((query) => query.corpus === corpus && query.kind === kind).length),
    );

  expect(new Set(cells(await readQueries(false)))).toEqual(new Set([10]));
  expect(new Set(cells(await readQueries(true)))).toEqual(new Set([5]));
  expect(findFolder('docs')).toBeDefined();
});
