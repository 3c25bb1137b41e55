import { expect, test } from 'vitest';
import { splitPage } from './mini-search.ts';
import { findFolder, kinds, readQueries } from './queries.ts';
import { judge, summarize } from './scores.ts';

const query = { query: 'a', corpus: 'docs', kind: 'title', pages: ['b.md', 'c.md'], held: false } as const;

test('the rank of a query is the rank of the first correct page among ten results', async () => {
  const judgeResults = (results: string[]) => judge(async () => results, { ...query, pages: [...query.pages] });

  expect(await judgeResults(['a.md', 'c.md', 'b.md'])).toEqual({ rank: 2, hasHits: true });
  expect(await judgeResults([...'defghijklm', 'b.md'])).toEqual({ rank: undefined, hasHits: true });
  expect(await judgeResults([])).toEqual({ rank: undefined, hasHits: false });
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

test('spreads queries evenly over corpora and kinds, and holds out a third of each', async () => {
  const listCells = (queries: Awaited<ReturnType<typeof readQueries>>) =>
    ['rust-book', 'docs'].flatMap((corpus) =>
      kinds.map((kind) => queries.filter((query) => query.corpus === corpus && query.kind === kind).length),
    );

  expect(new Set(listCells(await readQueries(false)))).toEqual(new Set([10]));
  expect(new Set(listCells(await readQueries(true)))).toEqual(new Set([5]));
  expect(findFolder('docs')).toBeDefined();
});
