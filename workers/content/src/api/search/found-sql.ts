import { badCursor, decodeCursor } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { SearchExpressions } from './match-expression.ts';

/** How many sections one search ranks: what comes later is not found, so that a common word stays cheap. */
const maxSections = 300;
/** How many sections each index gives to be ranked. */
const maxCandidates = 200;
/** How many sections are looked through for the phrases of words whose parts stand in them. */
const maxLookedThrough = 1000;

/** What a title, a heading or a text that has the words counts: 10 for each place in the order, and what it is. */
interface Order {
  whole: [title: number, heading: number, text: number];
  begun: [title: number, heading: number, text: number];
}
const byPart: Order = { whole: [0, 21, 42], begun: [10, 31, 52] };
/** Where the beginning is not all that was typed, the words themselves come first: that finds too much. */
const wordsFirst: Order = { whole: [0, 11, 22], begun: [30, 41, 52] };

/** The CTE `found(id, class)`: the first sections in which the words were found; `scope` is a part of an expression. */
export function foundCte(scope: string, { whole, begun, apart, cutFrom }: SearchExpressions): SQL {
  const matching = (words: string) => `${scope} AND ${words}`;
  const order = cutFrom === undefined ? byPart : wordsFirst;
  const last = sql.raw(String(Number.MAX_SAFE_INTEGER));
  const ceiling =
    apart &&
    sql`ceiling(id) AS MATERIALIZED (SELECT COALESCE((SELECT rowid FROM search_index
    WHERE search_index MATCH ${matching(apart)} ORDER BY rowid LIMIT 1 OFFSET ${maxLookedThrough}), ${last})), `;
  const upTo = sql.raw(apart ? 'AND rowid <= (SELECT id FROM ceiling)' : '');
  const from = (name: string, words: string, quality: number) => {
    const index = sql.raw(name);
    return sql`SELECT * FROM (SELECT rowid AS id, ${sql.raw(String(quality))} AS class FROM ${index}
      WHERE ${index} MATCH ${matching(words)} ${name === 'search_index' ? upTo : sql``}
      ORDER BY rowid LIMIT ${maxCandidates})`;
  };
  const inAll = (words: string, [title, heading, text]: Order['whole']) => sql`SELECT * FROM (
    ${from('search_index_titles', words, title)} UNION ALL ${from('search_index_headings', words, heading)}
    UNION ALL ${from('search_index', words, text)})`;
  const found = [inAll(whole, order.whole), ...(begun === undefined ? [] : [inAll(begun, order.begun)])];
  return sql`${ceiling ?? sql``}found(id, class) AS MATERIALIZED (
    SELECT id, MIN(class) FROM (${sql.join(found, sql` UNION ALL `)}) GROUP BY id ORDER BY 2, 1 LIMIT ${maxSections})`;
}

/**
 * How far into the bounded ranking a page of results begins. The cursor holds the place, not the rank: that counts every
 * tenant's words, and would tell of them.
 * @throws ApiError invalid
 */
export function placeOf(page: string | undefined): number {
  const [place = 0] = decodeCursor(page, ['index']) ?? [];
  if (Number(place) > maxSections) throw badCursor();
  return Number(place);
}
