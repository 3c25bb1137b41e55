import { computed, fromJson, nullable } from '@octavo/db';
import type { PageType } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type * as z from 'zod';
import { selectState } from './lineage.ts';

/** The fields of a page or file that lists of other objects show. */
interface NodeSummary {
  /** The title of a page, or the name of a file. */
  title: string;
  type: z.infer<typeof PageType> | null;
  emoji: string | null;
  icon: string | null;
  /** The id of the parent page; '' at the top level. */
  parent: string;
}

/** Returns a field with the summary of a node in a lineage; null if the lineage does not contain the node. */
export const createSummaryField = (lineage: SQL, kind: SQL, id: SQL) =>
  nullable(
    computed(
      fromJson<NodeSummary>(),
      sql`(SELECT CASE WHEN v.deleted = 0 THEN json_object(
          'title', COALESCE(v.data->>'$.fields.title', v.data->>'$.fields.name'), 'type', v.data->>'$.fields.type',
          'emoji', v.data->>'$.fields.emoji', 'icon', v.data->>'$.fields.icon', 'parent', v.parent) END
        FROM (SELECT key AS depth, value->>0 AS branch, value->>1 AS seq FROM json_each(${lineage})) l
        CROSS JOIN versions v ON ${selectState(kind, id)} ORDER BY l.depth LIMIT 1)`,
    ),
  );
