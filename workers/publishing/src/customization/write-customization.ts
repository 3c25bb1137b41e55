import type { Check, Database } from '@octavo/db';
import { commitCheckedOnce, must, readRow, retryOnConflict, siteCustomizations } from '@octavo/db';
import type { ActorContext } from '@octavo/runtime';
import type { CustomizationChanges, NewEvent, OrganizationId, SiteCustomization, SiteId } from '@octavo/schema';
import { customizationBytes, invalid, maxCustomizationBytes, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { type CustomizationRecord, customizationOf, presentCustomization } from './customization-record.ts';

export interface Customized {
  site: { id: SiteId; organization: OrganizationId };
  /** '' for the site itself. */
  siteSpace: string;
}

type Writing = { db: Database } & Pick<ActorContext, 'commit'>;
type Change = (before: CustomizationRecord) => CustomizationChanges;

/** Sets what follows from what was set before, which nobody changes in between. @throws ApiError not_found, invalid */
export const writeCustomization = (
  customized: Customized,
  change: Change,
  context: Writing,
): Promise<SiteCustomization> => retryOnConflict(() => writeOnce(customized, change, context));

async function writeOnce(customized: Customized, change: Change, { db, commit }: Writing): Promise<SiteCustomization> {
  const { site, siteSpace } = customized;
  const before = await readRow(db, customizationOf(site.id, siteSpace));
  if (before === undefined) throw notFound('site space');
  const last = (siteSpace === '' ? before.whole : before.own)?.updatedAt ?? null;
  const written = { settings: bounded(change(before)), updatedAt: Math.max(Date.now(), (last ?? 0) + 1) };
  const isAsBefore = sql`(SELECT c.updated_at FROM site_customizations c
    WHERE c.site = ${site.id} AND c.site_space = ${siteSpace}) IS ${last}`;
  const put = db
    .insert(siteCustomizations)
    .values({ site: site.id, siteSpace, ...written })
    .onConflictDoUpdate({ target: [siteCustomizations.site, siteCustomizations.siteSpace], set: written });
  await commitCheckedOnce(db, [isThere(customized)], (guards) =>
    commit([...guards, must(db, isAsBefore), put], [customizedEvent(customized)]),
  );
  return presentCustomization(siteSpace === '' ? { ...before, whole: written } : { ...before, own: written });
}

/** What was set before counts too: together it may be too large. */
function bounded(settings: CustomizationChanges): CustomizationChanges {
  if (customizationBytes(settings) <= maxCustomizationBytes) return settings;
  const message = `must be at most ${maxCustomizationBytes} bytes of JSON, with what was set before`;
  throw invalid([{ path: 'body', message }]);
}

export const isThere = ({ site, siteSpace }: Customized): Check => ({
  holds:
    siteSpace === ''
      ? sql`EXISTS (SELECT 1 FROM sites WHERE id = ${site.id})`
      : sql`EXISTS (SELECT 1 FROM site_spaces WHERE id = ${siteSpace} AND site = ${site.id})`,
  otherwise: () => notFound(siteSpace === '' ? 'site' : 'site space'),
});

export const customizedEvent = ({ site, siteSpace }: Customized): NewEvent => ({
  type: 'site.customized',
  organization: site.organization,
  data: { site: site.id, ...(siteSpace === '' ? {} : { siteSpace }) },
});
