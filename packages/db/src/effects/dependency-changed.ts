import type { OrganizationId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Database, Statement } from '../connect.ts';

/** Scripts are asked no sooner than so long after they were, whatever changes and how often. */
const paceMilliseconds = 180_000;
/** Of so many computed pages that depend on one thing, the first; the others follow within the hour. */
const maxDependents = sql.raw('200');

/**
 * Has computed pages made again that depend on things whose state changes: `changed` is a SELECT of (kind, target,
 * organization). Where nothing depends on them, no row is read but theirs.
 */
const remakeDependents = (db: Database, changed: SQL): Statement => {
  const soon = sql`MAX(${Date.now()}, taken_at + ${paceMilliseconds})`;
  return db.run(sql`UPDATE computed_contents SET due_at = ${soon} WHERE due_at > ${soon} AND (space, page) IN (
    SELECT d.space, d.page FROM (${changed}) given CROSS JOIN computed_dependencies d
      ON d.kind = given.kind AND d.target = given.target AND d.organization = given.organization LIMIT ${maxDependents})`);
};

/** The head of a space moves on. */
export const headMoved = (db: Database, space: SpaceId, organization: OrganizationId): Statement =>
  remakeDependents(db, sql`SELECT 'space' AS kind, ${space} AS target, ${organization} AS organization`);

/** Spaces, a SELECT of their ids, come to these organizations or leave them. */
export const spacesCameOrWent = (db: Database, ids: SQL, organizations: string[]): Statement =>
  remakeDependents(
    db,
    sql`SELECT 'space' AS kind, given.id AS target, value AS organization
      FROM (${ids}) given CROSS JOIN json_each(${JSON.stringify(organizations)})`,
  );

/** A space goes into the trash of its organization, or comes out of it. */
export const spaceTrashed = (db: Database, id: string): Statement =>
  remakeDependents(db, sql`SELECT 'space' AS kind, id AS target, organization FROM spaces WHERE id = ${id}`);

/** A specification is there, has another version or visibility, or is gone. */
export const specChanged = (
  db: Database,
  { organization, slug }: { organization: OrganizationId; slug: string },
): Statement => remakeDependents(db, sql`SELECT 'openapi' AS kind, ${slug} AS target, ${organization} AS organization`);
