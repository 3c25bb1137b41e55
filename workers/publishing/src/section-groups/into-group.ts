import type { Database, Statement } from '@octavo/db';
import { positionAtEnd } from '@octavo/db';
import type { SiteId } from '@octavo/schema';
import { sql } from 'drizzle-orm';

/** Puts sections of a site into a group, or out of all with null, to the end, in this order. */
export function placeSections(
  db: Database,
  site: SiteId,
  { group, ids }: { group: string | null; ids: string[] },
): Statement {
  const now = Date.now();
  const rows = JSON.stringify(ids.map((id) => [id, positionAtEnd(now)]));
  return db.run(sql`UPDATE site_sections SET section_group = ${group}, position = w.value->>1 FROM json_each(${rows}) w
    WHERE site_sections.id = w.value->>0 AND site_sections.site = ${site}`);
}
