import type { Database } from '@octavo/db';
import { given, readRow, selection, spaces } from '@octavo/db';
import type { ComponentContext, OrganizationId, SiteId, SpaceId } from '@octavo/schema';
import { sql } from 'drizzle-orm';

const foundRow = selection({ id: given(String), organization: given(spaces.organization), reaches: given(Boolean) });

/** What a component is drawn for: an installation, and a space or a site that it is about. */
export interface RenderPlace {
  installation: string;
  organization: OrganizationId;
  space?: SpaceId;
  site?: SiteId;
  /** Whether the installation is on that space, which its scopes do not decide. */
  isOnSpace: boolean;
}

/** The installation of an integration in the organization that a component is drawn in. */
export async function installationFor(
  db: Database,
  integration: string,
  context: ComponentContext,
): Promise<RenderPlace | undefined> {
  const space = 'spaceId' in context ? context.spaceId : undefined;
  const site = 'siteId' in context ? context.siteId : undefined;
  const organization =
    'organizationId' in context
      ? sql`${context.organizationId}`
      : space === undefined
        ? sql`(SELECT organization FROM sites WHERE id = ${site ?? ''})`
        : sql`(SELECT organization FROM spaces WHERE id = ${space})`;
  const found = await readRow(
    db,
    foundRow.query(sql`SELECT i.id, i.organization, i.space_selection = 'all' OR EXISTS (SELECT 1 FROM space_installations p
        WHERE p.installation = i.id AND p.space = ${space ?? ''} AND p.status = 'active') AS reaches
      FROM installations i INDEXED BY installations_once
      WHERE i.integration = ${integration} AND i.organization = ${organization} AND i.status <> 'paused'`),
  );
  if (found === undefined) return undefined;
  const { id: installation, reaches: isOnSpace } = found;
  return {
    ...{ installation, organization: found.organization, isOnSpace },
    ...(space === undefined ? {} : { space }),
    ...(site === undefined ? {} : { site }),
  };
}
