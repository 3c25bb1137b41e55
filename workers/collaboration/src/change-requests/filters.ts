import type { Database } from '@octavo/db';
import { given, parsed, readRow, selection } from '@octavo/db';
import type { ChangeRequestFilters, OrganizationId, SpaceId, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** A filter by a user: whether `change_requests cr` passes it, and the ids of all that do. */
export interface Filter {
  passes: SQL;
  ids: SQL;
}

/** Those who edited or commented on the change request. */
const byContributor = (user: UserId, space: SpaceId | undefined): Filter => ({
  passes: sql`EXISTS (SELECT 1 FROM contributors c
    WHERE c.branch = cr.id AND c.action IN ('edit', 'comment') AND c.user = ${user})`,
  ids: sql`SELECT c.branch AS id FROM contributors c WHERE c.user = ${user}
    AND ${space === undefined ? sql`1` : sql`c.space = ${space}`}`,
});

/** Those who are asked to review it, by name or as one of a team. */
const byRequestedReviewer = (user: UserId, organization: OrganizationId): Filter => ({
  passes: sql`(
    EXISTS (SELECT 1 FROM requested_reviewers q
      WHERE q.change_request = cr.id AND q.kind = 'user' AND q.subject = ${user} AND q.organization = ${organization})
    OR EXISTS (SELECT 1 FROM requested_reviewers q CROSS JOIN team_members tm ON tm.team = q.subject AND tm.user = ${user}
      WHERE q.change_request = cr.id AND q.kind = 'team' AND q.organization = ${organization}))`,
  ids: sql`SELECT q.change_request AS id FROM requested_reviewers q
    WHERE q.organization = ${organization} AND (q.subject, q.kind) IN (SELECT ${user}, 'user'
      UNION ALL SELECT tm.team, 'team' FROM team_members tm WHERE tm.user = ${user} AND tm.organization = ${organization})`,
});

export const filtersOf = (
  { contributor, requestedReviewer }: ChangeRequestFilters,
  { organization, space }: { organization: OrganizationId; space: SpaceId | undefined },
): Filter[] => [
  ...(requestedReviewer === undefined ? [] : [byRequestedReviewer(requestedReviewer, organization)]),
  ...(contributor === undefined ? [] : [byContributor(contributor, space)]),
];

/** With more ids than this, a list looks for what passes in its own order. */
const fewIds = 200;

const countsRow = selection({ counts: given(parsed<number[]>()) });

/** The first filter that so few change requests pass that a list may begin with them. */
export async function findRareFilter(db: Database, filters: Filter[]): Promise<Filter | undefined> {
  if (filters.length === 0) return undefined;
  const counts = filters.map(({ ids }) => sql`(SELECT COUNT(*) FROM (${ids} LIMIT ${fewIds + 1}))`);
  const row = await readRow(db, countsRow.query(sql`SELECT json_array(${sql.join(counts, sql`, `)}) AS counts`));
  return filters.find((_, index) => (row?.counts[index] ?? 0) <= fewIds);
}
