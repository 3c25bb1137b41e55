import type { SpaceId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { jsonChunks } from '../commit.ts';
import type { Database, Statement } from '../connect.ts';

/** Of so many computed pages of a space is noted what makes their pages; those that readers find are among them. */
const maxSources = 500;
/** What changes makes due what was not begun within this time, and the rest when that is over. */
const paceMilliseconds = 60_000;

/** A computed page: what its pages are made of, and those beside it that take a slug from one of them. */
export interface FoundSource {
  id: string;
  /** The slug of a specification, or the type of an integration's source. */
  spec: string;
  beside: string;
  /** Where an integration makes the pages. */
  integration?: { name: string; source: string } | undefined;
}

/** The computed pages under a page of the live content are these: the search goes by them, and what integrations make. */
export function keepSources(db: Database, space: SpaceId, place: string, sources: FoundSource[]): Statement[] {
  const rows = sources.map(({ id, spec, beside }) => [id, spec, beside]);
  const made = sources.flatMap(({ id, integration }) =>
    integration === undefined ? [] : [[id, integration.name, integration.source]],
  );
  const soon = sql`MAX(${Date.now()}, taken_at + ${paceMilliseconds})`;
  const isOther = sql`(organization <> excluded.organization OR integration <> excluded.integration)`;
  const ids = JSON.stringify(sources.map(({ id }) => id));
  return [
    db.run(sql`DELETE FROM search_sources WHERE space = ${space} AND place = ${place}
      AND source NOT IN (SELECT value FROM json_each(${ids}))`),
    ...jsonChunks(rows).map((json) =>
      db.run(sql`INSERT INTO search_sources (space, source, organization, place, spec, beside)
        SELECT o.id, value->>0, o.organization, ${place}, value->>1, value->>2
        FROM json_each(${json}) CROSS JOIN spaces o ON o.id = ${space} WHERE true
        ON CONFLICT (space, source) DO UPDATE SET place = excluded.place, spec = excluded.spec, beside = excluded.beside
          WHERE place <> excluded.place OR spec <> excluded.spec OR beside <> excluded.beside`),
    ),
    ...jsonChunks(made).map((json) =>
      db.run(sql`INSERT INTO computed_contents (space, page, organization, integration, source, due_at)
        SELECT o.id, value->>0, o.organization, value->>1, value->>2, ${Date.now()}
        FROM json_each(${json}) CROSS JOIN spaces o ON o.id = ${space}
        WHERE value->>0 IN (SELECT source FROM search_sources WHERE space = ${space} ORDER BY source LIMIT ${maxSources})
        ON CONFLICT (space, page) DO UPDATE SET organization = excluded.organization, integration = excluded.integration,
          source = excluded.source, due_at = MIN(due_at, ${soon}),
          former = iif(${isOther}, COALESCE(former, version), former), version = iif(${isOther}, NULL, version),
          hash = iif(${isOther}, NULL, hash), leased_until = iif(${isOther}, 0, leased_until)
          WHERE organization <> excluded.organization OR source <> excluded.source`),
    ),
    db.run(sql`UPDATE computed_contents SET due_at = ${soon} WHERE space = ${space} AND due_at > ${soon}
      AND NOT EXISTS (SELECT 1 FROM search_sources s WHERE s.space = computed_contents.space AND s.source = page)`),
  ];
}
