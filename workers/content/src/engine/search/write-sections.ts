import type { Database, Statement } from '@octavo/db';
import { jsonChunks } from '@octavo/db';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { PageSections } from './page-sections.ts';

/** A condition: the space is there, and not being purged. */
export const isKept = (space: SpaceId | SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND purging_at IS NULL)`;

/**
 * The statements that bring the sections of pages to what they are now: those that say what they said stay as they are. A
 * section is known by its page and its place there, and keeps its id. `stamped` is joined to each page, a JSON array `value`
 * that begins with it: it leaves out those that are not to be written.
 */
export function writeSections(db: Database, space: SpaceId, found: PageSections[], stamped: SQL): Statement[] {
  const lengths = JSON.stringify(found.map(({ page, sections }) => [page, sections.length]));
  const tokens = [...new Map(found.flatMap((each) => [...each.tokens]))];
  const stored = sql`x.space = ${space} AND x.page = value->>0`;
  return [
    ...jsonChunks(tokens).map((json) =>
      db.run(sql`INSERT INTO search_conditions (space, condition, token)
        SELECT ${space}, value->>0, value->>1 FROM json_each(${json}) WHERE ${isKept(space)}
        ON CONFLICT (space, condition) DO NOTHING`),
    ),
    db.run(sql`DELETE FROM search_sections WHERE id IN (
      SELECT x.id FROM json_each(${lengths}) ${stamped} CROSS JOIN search_sections x ON ${stored}
      WHERE x.ordinal >= value->>1 OR NOT ${isInOrder})`),
    ...jsonChunks(found.flatMap(({ sections }) => sections)).map((json) =>
      db.run(sql`INSERT INTO search_sections (id, space, organization, page, ordinal, anchor, title, heading, body, conditions, tokens)
        SELECT COALESCE(x.id, value->>2 + EXISTS (SELECT 1 FROM search_sections y WHERE y.id = value->>2)), ${space},
          COALESCE((SELECT organization FROM spaces WHERE id = ${space}), ''), value->>0,
          value->>1, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8
        FROM json_each(${json}) ${stamped} LEFT JOIN search_sections x ON ${stored} AND x.ordinal = value->>1
        WHERE x.id IS NULL OR x.anchor <> value->>3 OR x.title <> value->>4 OR x.heading <> value->>5 OR x.body <> value->>6
          OR x.conditions <> value->>7
        ON CONFLICT (id) DO UPDATE SET anchor = CASE WHEN page = excluded.page THEN excluded.anchor END,
          title = excluded.title, heading = excluded.heading, body = excluded.body, conditions = excluded.conditions,
          tokens = excluded.tokens`),
    ),
  ];
}

/** Whether the id of `search_sections x` is one that `idOf` gave it, as before 0019 none was. */
const isInOrder = sql`(x.id >> 32 = x.ordinal)`;

/** The statement that takes pages out of the index; `pages` is a SELECT of their ids. */
export const forgetSections = (db: Database, space: SpaceId, pages: SQL): Statement =>
  db.run(sql`DELETE FROM search_sections WHERE space = ${space} AND page IN (${pages})`);
