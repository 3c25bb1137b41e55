import { sql } from 'drizzle-orm';
import { seen } from '../nodes/find-nodes.ts';

/** An expression, beside the CTE `lineage`: whether a page is there that is shown under a condition. */
export const hasPageConditions = sql`EXISTS (SELECT 1 FROM lineage l CROSS JOIN versions v INDEXED BY versions_conditions
  ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
  WHERE v.kind = 'page' AND v.deleted = 0 AND v.data->>'$.fields.condition' IS NOT NULL
    AND v.data->>'$.fields.condition' <> '' AND ${seen})`;

/** The same of a text, a part of which is shown under a condition. */
export const hasTextConditions = sql`EXISTS (SELECT 1 FROM lineage l CROSS JOIN version_uses v
  ON v.branch = l.branch AND v.used = '' AND v.until > l.seq AND v.since <= l.seq
  WHERE ${seen})`;
