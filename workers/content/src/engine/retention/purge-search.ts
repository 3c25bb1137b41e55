import {
  given,
  runBatch,
  searchConditions,
  searchMadePages,
  searchPages,
  searchSections,
  searchSources,
  selection,
} from '@octavo/db';
import { sql } from 'drizzle-orm';
import type { Stage } from './part.ts';
import { maxRows } from './part.ts';

/** A section is the text of some thousand characters that goes out of the index word by word. */
const maxSections = 100;

const sectionRow = selection({ id: given(searchSections.id) });
const pageRow = selection({ page: given(searchPages.page) });
const madeRow = selection({ page: given(searchMadePages.page) });
const sourceRow = selection({ source: given(searchSources.source) });
const conditionRow = selection({ condition: given(searchConditions.condition) });

export const purgeSearch: Stage = async (db, { space }) => {
  const ofSections = sql`SELECT id FROM search_sections WHERE space = ${space} LIMIT ${maxSections}`;
  const ofPages = sql`SELECT page FROM search_pages WHERE space = ${space} LIMIT ${maxRows}`;
  const ofConditions = sql`SELECT condition FROM search_conditions WHERE space = ${space} LIMIT ${maxRows}`;
  const ofSources = sql`SELECT source FROM search_sources WHERE space = ${space} LIMIT ${maxRows}`;
  const ofMade = sql`SELECT page FROM search_made_pages WHERE space = ${space} LIMIT ${maxRows}`;
  const { sections, ...others } = await runBatch(db, {
    sections: sectionRow.query(ofSections),
    pages: pageRow.query(ofPages),
    conditions: conditionRow.query(ofConditions),
    made: madeRow.query(ofMade),
    sources: sourceRow.query(ofSources),
  });
  const isLast = sections.length < maxSections && Object.values(others).every(({ length }) => length < maxRows);
  return {
    statements: [
      db.run(sql`DELETE FROM search_sections WHERE id IN (${ofSections})`),
      db.run(sql`DELETE FROM search_pages WHERE space = ${space} AND page IN (${ofPages})`),
      db.run(sql`DELETE FROM search_conditions WHERE space = ${space} AND condition IN (${ofConditions})`),
      db.run(sql`DELETE FROM search_made_pages WHERE space = ${space} AND page IN (${ofMade})`),
      db.run(sql`DELETE FROM search_sources WHERE space = ${space} AND source IN (${ofSources})`),
    ],
    next: { stage: isLast ? 'versions' : 'search' },
  };
};
