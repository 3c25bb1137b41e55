import type { Database, Statement } from '@octavo/db';
import { jsonChunks, keepSources, must } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import { integratedBy, specOf } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { lineageOfBranch, selectIds } from '../store/lineage.ts';
import { pageFields } from '../store/nodes.ts';
import { dueOf, goes } from './index-made-pages.ts';
import { pagesBeside } from './made-places.ts';
import type { MadePlace, SoughtMade } from './read-made-place.ts';
import { readMadePlace } from './read-made-place.ts';
import { isKept } from './write-sections.ts';

/** Of how many pages one step notes what is to be indexed. */
const maxPlanned = 1000;

export interface PlannedMade {
  statements: Statement[];
  /** Whether pages are left of which nothing is noted yet. */
  isPart: boolean;
  /** Whether some are to be indexed. */
  isDue: boolean;
}

/**
 * What notes which of the pages that are made under a place are to be indexed, and as what, so that the index says what
 * they are at the space's head and by the newest versions of their specifications, if both still are as they were read.
 * Each row of the place is read here, and not again for each part that is indexed then.
 */
export async function planMadePages(
  db: Database,
  space: SpaceId,
  { place, anew }: { place: string; anew: boolean },
): Promise<PlannedMade> {
  const found = await readMadePlace(db, space, place);
  if (found === undefined) return { statements: [], isPart: false, isDue: false };
  const ids = new Set(found.wanted.map(({ page }) => page.id));
  const gone = [...found.indexed].filter(([id, { due }]) => !ids.has(id) && due !== goes).map(([id]) => id);
  const due = found.wanted.map((each) => [each, JSON.stringify(dueOf(each))] as const);
  const others = due.filter(([each, json]) => isOther(each, json, found, anew));
  const planned = others.slice(0, maxPlanned);
  const going = gone.slice(0, maxPlanned - planned.length);
  const count = planned.length + going.length;
  return {
    statements: [
      ...guardsOf(db, space, found),
      ...writeSources(db, space, place, found),
      db.run(sql`UPDATE search_made_pages SET due = ${goes}
        WHERE space = ${space} AND place = ${place} AND page IN (${selectIds(going)})`),
      ...planPages(db, space, place, planned),
    ],
    isPart: count < others.length + gone.length,
    isDue: count > 0 || [...found.indexed.values()].some((row) => row.due !== null),
  };
}

/** Whether the index neither has a page as it is, nor is to have it so. */
function isOther({ page, path, conditions }: SoughtMade, due: string, { indexed }: MadePlace, anew: boolean): boolean {
  const row = indexed.get(page.id);
  if (row === undefined || row.path !== path) return true;
  if (row.due !== null) return row.due !== due;
  const { title } = pageFields(page);
  return (
    anew || row.version !== page.madeOf.version || row.title !== title || row.conditions !== JSON.stringify(conditions)
  );
}

/** What the pages of a computed page are made of: the slug of a specification, or the type of an integration's source. */
function madeOf(source: Node): { spec: string; integration?: { name: string; source: string } | undefined } {
  const { computed } = pageFields(source);
  const integration = computed && integratedBy(computed);
  if (computed === undefined || integration === undefined) return { spec: (computed && specOf(computed)) ?? '' };
  return { spec: computed.type, integration: { name: integration.name, source: JSON.stringify(computed) } };
}

/** The space, its content and the newest versions are those that were read: whatever changes them is indexed after it. */
function guardsOf(db: Database, space: SpaceId, { lineage, sources, rows }: MadePlace): Statement[] {
  const versions = new Map(rows.map(({ page, version }) => [page, version?.id ?? null]));
  const read = sources.flatMap((source) => {
    const version = versions.get(source.id);
    return version === undefined ? [] : [[madeOf(source).spec, version, source.id]];
  });
  return [
    must(db, sql`${isKept(space)} AND ${lineageOfBranch(space)} = ${lineage}`),
    must(
      db,
      sql`NOT EXISTS (SELECT 1 FROM spaces o CROSS JOIN json_each(${JSON.stringify(read)}) r WHERE o.id = ${space}
        AND COALESCE(
          (SELECT s.version FROM openapi_specs s WHERE s.organization = o.organization AND s.slug = r.value->>0),
          (SELECT k.version FROM computed_contents k WHERE k.space = o.id AND k.page = r.value->>2))
          IS NOT r.value->>1)`,
    ),
  ];
}

function writeSources(
  db: Database,
  space: SpaceId,
  place: string,
  { sources, written, wanted }: MadePlace,
): Statement[] {
  const found = sources.map((source) => {
    const made = wanted.flatMap(({ page }) => (page.madeOf.source === source.id ? [page] : []));
    return { id: source.id, ...madeOf(source), beside: JSON.stringify(pagesBeside(made, written)) };
  });
  return keepSources(db, space, place, found);
}

/** A page has its path at once, by which later changes of pages beside it are told; nothing of a new one is shown yet. */
const planPages = (
  db: Database,
  space: SpaceId,
  place: string,
  pages: (readonly [SoughtMade, string])[],
): Statement[] =>
  jsonChunks(pages.map(([{ page, path }, due]) => [page.id, path, due])).map((json) =>
    db.run(sql`INSERT INTO search_made_pages (space, page, place, version, title, path, conditions, due)
      SELECT ${space}, value->>0, ${place}, '', '', value->>1, '[]', value->>2 FROM json_each(${json}) WHERE true
      ON CONFLICT (space, page) DO UPDATE SET place = excluded.place, path = excluded.path, due = excluded.due`),
  );
