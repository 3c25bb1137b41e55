import { formatColumns } from '../bench/report.ts';
import { kinds, type Query } from './queries.ts';
import { maxResults, type Outcome, summarize } from './scores.ts';

/** A query with its results in both searches. */
export interface JudgedQuery extends Query {
  /** One outcome for each import of the corpus. */
  octavo: Outcome[];
  miniSearch: Outcome[];
}

const searches = [
  ['Octavo', 'octavo'],
  ['MiniSearch', 'miniSearch'],
] as const;

const head = ['', 'queries', '', 'success@1', 'success@3', 'MRR@10', 'no hits'];

function getLines(name: string, queries: JudgedQuery[]): string[][] {
  if (queries.length === 0) return [];
  return searches.map(([title, search], line) => {
    const scores = summarize(queries.flatMap((query) => query[search]));
    const numbers = [scores.successAt1, scores.successAt3, scores.mrr, scores.withoutHits];
    const label = line === 0 ? [name, String(queries.length)] : ['', ''];
    return [...label, title, ...numbers.map((number) => number.toFixed(3))];
  });
}

/** Formats the scores of both searches: of all queries, of each corpus, and of each kind. */
export function formatScores(queries: JudgedQuery[]): string {
  const byCorpus = (['rust-book', 'docs'] as const).flatMap((corpus) =>
    getLines(
      corpus,
      queries.filter((query) => query.corpus === corpus),
    ),
  );
  const byKind = kinds.flatMap((kind) =>
    getLines(
      kind,
      queries.filter((query) => query.kind === kind),
    ),
  );
  return formatColumns([head, ...getLines('all', queries), ...byCorpus, ...byKind]);
}

/** Lists the distinct ranks, the best first. If a search has hits but not the right page, its rank is shown as `-`. */
function formatOutcomes(outcomes: Outcome[]): string {
  const inOrder = outcomes.toSorted((a, b) => (a.rank ?? maxResults + 1) - (b.rank ?? maxResults + 1));
  return [...new Set(inOrder.map(({ rank, hasHits }) => (hasHits ? String(rank ?? '-') : 'no hits')))].join(', ');
}

/** Formats each query with the ranks of the first right page in both searches. */
export const formatQueries = (queries: JudgedQuery[]): string =>
  formatColumns([
    ['query', 'corpus', 'kind', ...searches.map(([title]) => title)],
    ...queries.map(({ query, corpus, kind, octavo, miniSearch }) => [
      query,
      corpus,
      kind,
      ...[octavo, miniSearch].map(formatOutcomes),
    ]),
  ]);
