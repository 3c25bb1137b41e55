import type { PageToIndex } from '@octavo/search';
import { expect } from 'vitest';
import { writeDatabase } from '../../support/database.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getCost } from '../space-client.ts';
import { writeSegment } from './stored-index.ts';

export const sectionsPerPage = 3;
/** The shares of the pages that are in each segment, as if the index had been compacted often. */
const segmentShares = [0.4, 0.25, 0.15, 0.1, 0.05, 0.03, 0.01, 0.01];

const syllables = ['ka', 'lo', 'mi', 'ru', 'te', 'vo', 'sa', 'ne', 'pi', 'du'];
/** Distinct words. */
export const vocabulary = Array.from({ length: 20_000 }, (_, number) =>
  [...String(number)].map((digit) => syllables[Number(digit)]).join(''),
);

/** Returns some words for a section; few of them are frequent. */
function getWords(section: number): string {
  const words = Array.from({ length: 40 }, (_, index) => {
    const random = (((section * 40 + index) * 2_654_435_761) % 2 ** 32) / 2 ** 32;
    return vocabulary[Math.floor(vocabulary.length * random ** 3)];
  });
  return words.join(' ');
}

/** Creates a page. Each of its sections contains words that all sections of the page have, and other words. */
function createPage(space: string, number: number, rare: string): PageToIndex {
  const page = `pg_${space.slice(4)}${number}`;
  const own = `of which ${number === 3 ? rare : 'none'} is rare; 日 and 本; ${number % 2 === 0 ? 'even' : 'odd'}`;
  const sections = Array.from({ length: sectionsPerPage }, (_, part) => ({
    heading: part === 0 ? '' : `Heading ${part}`,
    text: `the common words, ${own}. ${getWords(number * sectionsPerPage + part)}`,
    conditions: [],
  }));
  return { space, page, key: page, title: `Page ${number}`, conditions: [], sections };
}

/** Writes pages and their index entries directly to the database, in the form that indexing writes. */
export async function insertPages({ id, organization: owner }: TestSpace, pages: number, rare: string): Promise<void> {
  const server = platform();
  await writeDatabase(
    server,
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
     INSERT INTO versions (branch, kind, id, since, until, slug, data)
     SELECT ?, 'page', 'pg_' || substr(?, 5) || i, 0, 9007199254740991, 'page-' || i,
       json_object('fields', json_object('type', 'document', 'title', 'Page ' || i), 'createdAt', 0, 'updatedAt', 0) FROM n`,
    ...[pages, id, id],
  );
  let [first, share] = [0, 0];
  for (const each of segmentShares) {
    share += each;
    const end = Math.round(pages * share);
    const inside = Array.from({ length: end - first }, (_, index) => createPage(id, first + index, rare));
    if (inside.length > 0) await writeSegment(server, owner, inside);
    first = end;
  }
}

export interface SearchResponse {
  items: { title: string; pages?: { title: string }[] }[];
}

export interface Search {
  rows: number;
  trips: number;
  titles: string[];
}

/** Searches, and returns the cost and the titles of the pages. */
export async function search(path: string, token: string): Promise<Search> {
  const response = await platform({ countsRows: true }).request(path, { token });
  expect([path, response.status]).toEqual([path, 200]);
  const { items } = (await response.json()) as SearchResponse;
  const { read: rows, trips } = getCost(response);
  return { rows, trips, titles: items.flatMap(({ title, pages }) => pages?.map((page) => page.title) ?? title) };
}
