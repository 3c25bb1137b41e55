import { given, runBatch, searchPages, searchSections, selection } from '@octavo/db';
import { sql } from 'drizzle-orm';
import type { Stage } from './part.ts';
import { maxRows } from './part.ts';

/** A section is the text of some thousand characters that goes out of the index word by word. */
const maxSections = 100;

const sectionRow = selection({ id: given(searchSections.id) });
const pageRow = selection({ page: given(searchPages.page) });

export const purgeSearch: Stage = async (db, { space }) => {
  const ofSections = sql`SELECT id FROM search_sections WHERE space = ${space} LIMIT ${maxSections}`;
  const ofPages = sql`SELECT page FROM search_pages WHERE space = ${space} LIMIT ${maxRows}`;
  const { sections, pages } = await runBatch(db, {
    sections: sectionRow.query(ofSections),
    pages: pageRow.query(ofPages),
  });
  return {
    statements: [
      db.run(sql`DELETE FROM search_sections WHERE id IN (${ofSections})`),
      db.run(sql`DELETE FROM search_pages WHERE space = ${space} AND page IN (${ofPages})`),
    ],
    next: { stage: sections.length < maxSections && pages.length < maxRows ? 'versions' : 'search' },
  };
};
