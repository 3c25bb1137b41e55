import type { CallerRecord, Query, ShownIntegrationRecord } from '@octavo/db';
import { countedMembership, installingPlaces, installsAt, isActive, shownIntegrationRow } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

type Reading = Pick<CallerRecord, 'id' | 'organization' | 'integration' | 'installation' | 'integrationScopes'>;

const boundTo = ({ organization }: Reading): SQL => sql`${organization}`;

/**
 * The organizations where the caller has a role: those of its private integrations that the caller sees. An installation
 * is no member there, whatever its account reaches.
 */
export const placesOf = (caller: Reading): SQL => sql`
  SELECT m.organization FROM members m CROSS JOIN organizations o ON o.id = m.organization
  WHERE m.user = ${caller.id} AND ${caller.installation} IS NULL AND m.role IS NOT NULL AND ${isActive(boundTo(caller))}`;

/** As `isIntegration` has it. */
const isOwnOf = ({ id, integration, installation }: Reading): SQL =>
  sql`(i.name IS ${integration} AND (${installation} IS NOT NULL OR i.account = ${id}))`;

/** Whether the caller may read `integrations i` by its name. */
export const isShownTo = (caller: Reading): SQL => sql`(i.visibility <> 'private'
  OR ${isOwnOf(caller)} OR i.organization IN (${placesOf(caller)}))`;

/** Where the caller may install, read once for all rows of a query that begins with it. */
export const withPlaces = (caller: Reading): SQL =>
  sql`WITH places AS MATERIALIZED (${installingPlaces(sql`${caller.id}`, boundTo(caller))})`;

/** Whether the caller may install somewhere in an organization: who may is told the ids of what is installed there. */
export const installsIn = (caller: Reading, organization: OrganizationId): SQL => sql`EXISTS (
  SELECT 1 FROM (${installingPlaces(sql`${caller.id}`, boundTo(caller))}) p WHERE p.organization = ${organization})`;

/** The given columns of what is shown of `integrations i`, in a query that begins `withPlaces`. */
export const shownBy = (caller: Reading) => ({
  membership: { active: isActive(boundTo(caller)) },
  installs: installsAt(sql`places`),
});

/** Joins the owner of `integrations i` and the caller's place there. */
export const joinOwner = ({ id }: Reading): SQL => sql`CROSS JOIN organizations o ON o.id = i.organization
  LEFT JOIN members m ON m.organization = o.id AND m.user = ${id}`;

/** With the membership as far as it counts. */
export const counted = <Row extends ShownIntegrationRecord>(caller: Reading, row: Row): Row => ({
  ...row,
  membership: countedMembership(caller, row.membership),
});

/** What is published under a name, as the caller sees it; `counted` limits it. */
export const shownTo = (caller: Reading, name: string): Query<ShownIntegrationRecord> =>
  shownIntegrationRow.query(sql`${withPlaces(caller)} SELECT ${shownIntegrationRow.with(shownBy(caller))} FROM integrations i
    ${joinOwner(caller)} WHERE i.name = ${name} AND i.unpublished_at IS NULL`);
