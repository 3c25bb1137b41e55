import type { Check, SiteRecord, Statement } from '@octavo/db';
import { commitChecked, getOnlyRow, siteById } from '@octavo/db';
import type { Context } from '@octavo/runtime';
import type { NewEvent, publishing } from '@octavo/schema';
import { createRandomString, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';

type SiteContext = Pick<Context<typeof publishing.updateSiteById, PublishingEnvironment>, 'db' | 'site' | 'commit'>;

/** Checks that the site still exists. */
export const createSiteExistenceCheck = ({ id, organization }: Pick<SiteRecord, 'id' | 'organization'>): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM sites WHERE id = ${id} AND organization = ${organization})`,
  createError: () => notFound('site'),
});

interface Change {
  type: Extract<NewEvent['type'], `site.${string}`>;
  checks?: Check[];
}

/** Commits a change of a site with its event, and returns the changed site. @throws ApiError not_found */
export async function writeSite(
  { db, site, commit }: SiteContext,
  { type, checks = [] }: Change,
  statements: Statement[],
): Promise<SiteRecord> {
  const event = { type, organization: site.organization, data: { site: site.id } };
  const rows = await commitChecked(db, [createSiteExistenceCheck(site), ...checks], (guards) =>
    commit({ guards, statements, changed: siteById(site.id) }, [event]),
  );
  return getOnlyRow(rows.changed);
}

const length = 24;

/** A new stamp invalidates the tokens of a site's visitors. */
export const createStamp = (): string => createRandomString(length);
