import { badCursor, decodeCursor } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { SearchExpressions } from './match-expression.ts';

/** How many sections one search ranks: what comes later is not found, so that a common word stays cheap. */
const maxSections = 300;
/** How many sections each index gives to be ranked. */
const maxCandidates = sql.raw('200');
/** How many sections are looked through for the phrases of words whose parts stand in them. */
const maxLookedThrough = sql.raw('1000');

/**
 * What a title, a heading or a text that has the words counts: 10 for each place in the order, and what it is. Where the
 * beginning is not all that was typed (`cut`), the words themselves come first: that finds too much.
 */
const classes = {
  whole: { titles: { plain: 0, cut: 0 }, headings: { plain: 21, cut: 11 }, texts: { plain: 42, cut: 22 } },
  begun: { titles: { plain: 10, cut: 30 }, headings: { plain: 31, cut: 41 }, texts: { plain: 52, cut: 52 } },
};
/** The least class of those that what was found by a cut beginning is in. */
const leastCut = sql.raw('30');

/** What `hitsCtes` looks for, in JSON: expressions within `scope`, a part of one, and what was typed of a word that was cut. */
export function soughtIn(scope: string, { whole, begun, apart, cutFrom }: SearchExpressions): string {
  const within = (words: string | undefined) => words && `${scope} AND ${words}`;
  return JSON.stringify([within(whole), within(begun), within(apart), cutFrom]);
}

/**
 * The CTEs `found(id, class)`, the first sections in which the words were found, and `hits(space, page, id, rank)`, those
 * that `within` holds for, a condition on `search_sections s`. Of titles and headings, the shorter is the closer to the words.
 */
export function hitsCtes(sought: SQL<string>, within: SQL): SQL {
  const part = (place: string) => sql`(${sought}->>${sql.raw(place)})`;
  const [whole, begun, apart, cutFrom] = [part('0'), part('1'), part('2'), part('3')];
  const from = (name: string, words: SQL, { plain, cut }: { plain: number; cut: number }) => {
    const index = sql.raw(name);
    const upTo = name === 'search_index' ? sql`AND rowid <= (SELECT id FROM ceiling)` : undefined;
    return sql`SELECT * FROM (SELECT rowid AS id, iif(${cutFrom} IS NULL, ${sql.raw(`${plain}, ${cut}`)}) AS class FROM ${index}
      WHERE ${words} IS NOT NULL AND ${index} MATCH ${words} ${upTo} ORDER BY rowid LIMIT ${maxCandidates})`;
  };
  const inAll = (words: SQL, { titles, headings, texts }: typeof classes.whole) => sql`SELECT * FROM (
    ${from('search_index_titles', words, titles)} UNION ALL ${from('search_index_headings', words, headings)}
    UNION ALL ${from('search_index', words, texts)})`;
  const text = sql`lower(s.title || ' ' || s.heading || ' ' || s.body)`;
  return sql`ceiling(id) AS MATERIALIZED (SELECT COALESCE((SELECT rowid FROM search_index
      WHERE ${apart} IS NOT NULL AND search_index MATCH ${apart} ORDER BY rowid LIMIT 1 OFFSET ${maxLookedThrough}),
      ${sql.raw(String(Number.MAX_SAFE_INTEGER))})
    ), found(id, class) AS MATERIALIZED (
      SELECT id, MIN(class) FROM (${inAll(whole, classes.whole)} UNION ALL ${inAll(begun, classes.begun)})
      GROUP BY id ORDER BY 2, 1 LIMIT ${sql.raw(String(maxSections))}
    ), hits(space, page, id, rank) AS MATERIALIZED (
      SELECT s.space, s.page, s.id,
        1000 * (f.class + CASE WHEN ${cutFrom} IS NOT NULL AND f.class >= ${leastCut} THEN 100 * (instr(${text}, ${cutFrom}) = 0) ELSE 0 END)
        + MIN(999, CASE f.class % 10 WHEN 0 THEN length(s.title) WHEN 1 THEN length(s.heading) ELSE 0 END)
      FROM found f CROSS JOIN search_sections s ON s.id = f.id WHERE ${within}
    )`;
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
