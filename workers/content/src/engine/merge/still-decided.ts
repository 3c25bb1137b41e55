import { mayOpen, mergeStamp } from '@octavo/db';
import type { Merge } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** Whether what the decision to merge was made on is still as it was. */
export function stillDecided({ decision, ...merging }: Merge): SQL {
  const { stamp, mainSeq, reviewers = [] } = decision;
  const conditions = [sql`${mergeStamp(merging)} IS ${stamp}`];
  if (mainSeq !== undefined)
    conditions.push(sql`(SELECT MAX(seq) FROM revisions WHERE branch = ${merging.space}) = ${mainSeq}`);
  if (reviewers.length > 0)
    conditions.push(sql`NOT EXISTS (SELECT 1 FROM spaces s CROSS JOIN json_each(${JSON.stringify(reviewers)}) w
      WHERE s.id = ${merging.space} AND NOT ${mayOpen(sql`w.value`)})`);
  return sql`(${sql.join(conditions, sql` AND `)})`;
}
