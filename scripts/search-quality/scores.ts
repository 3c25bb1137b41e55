import type { Query } from './queries.ts';

/** Results after this rank don't count. */
export const maxResults = 10;

/** Returns the paths of the files of the best pages, the best one first. */
export type Search = (query: string) => Promise<string[]>;

/** The result of one query. */
export interface Outcome {
  /** The rank of the first right page, from 1; undefined if no result is right. */
  rank: number | undefined;
  hasHits: boolean;
}

/** The shares and means of several queries, from 0 to 1. */
interface Scores {
  successAt1: number;
  successAt3: number;
  /** Mean reciprocal rank of the first right page. A query without a right page counts as 0. */
  mrr: number;
  withoutHits: number;
}

export async function judge(search: Search, { query, pages }: Query): Promise<Outcome> {
  const results = await search(query);
  const index = results.slice(0, maxResults).findIndex((file) => pages.includes(file));
  return { rank: index < 0 ? undefined : index + 1, hasHits: results.length > 0 };
}

const getMean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export function summarize(outcomes: Outcome[]): Scores {
  const computeShare = (isCounted: (outcome: Outcome) => boolean) =>
    getMean(outcomes.map((outcome) => (isCounted(outcome) ? 1 : 0)));
  return {
    successAt1: computeShare(({ rank = Number.POSITIVE_INFINITY }) => rank <= 1),
    successAt3: computeShare(({ rank = Number.POSITIVE_INFINITY }) => rank <= 3),
    mrr: getMean(outcomes.map(({ rank }) => (rank === undefined ? 0 : 1 / rank))),
    withoutHits: computeShare(({ hasHits }) => !hasHits),
  };
}
