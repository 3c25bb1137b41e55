import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Place, Sibling } from './find-siblings.ts';
import { isSibling } from './find-siblings.ts';

/** The siblings that a position was found between still stand where they stood. */
export const unchanged = (place: Place, siblings: (Sibling | undefined)[]): SQL => {
  const pairs = siblings.flatMap((each) => (each === undefined ? [] : [[each.id, each.position]]));
  const stands = (alias: 'c' | 's', table: string) => sql`EXISTS (SELECT 1 FROM ${sql.raw(`${table} ${alias}`)}
    WHERE ${sql.raw(alias)}.id = w.value->>0 AND ${sql.raw(alias)}.position = w.value->>1 AND ${isSibling(alias, place)})`;
  return sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(pairs)}) w
    WHERE NOT ${stands('c', 'collections')} AND NOT ${stands('s', 'spaces')})`;
};
