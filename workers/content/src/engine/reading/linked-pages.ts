import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { seen, stateAt } from '../nodes/find-nodes.ts';
import { metCte } from './included-contents.ts';
import { someCondition } from './shown-pages.ts';

/** A SELECT of the data of reusable contents and all that they include in turn; `start` is a SELECT of ids. */
export const metLinks = (start: SQL): SQL => sql`
  SELECT v.data FROM (WITH RECURSIVE ${metCte(start)} SELECT DISTINCT id FROM met) m
  CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`m.id`)}
  WHERE v.deleted = 0 AND ${seen}`;

/** A SELECT of the pages that nodes link to, given a SELECT of their data; of none where no page has a condition. */
export const linksIn = (data: SQL): SQL => sql`
  SELECT DISTINCT j.value FROM (${data}) p CROSS JOIN json_each(p.data, '$.links') j
  WHERE ${someCondition} AND j.value NOT GLOB 'file_*' AND j.value NOT GLOB 'rc_*'`;
