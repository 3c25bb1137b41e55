import { commitChecked, siteCustomizations } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { customizedEvent, isThere } from './write-customization.ts';

export const deleteSiteSpaceCustomizationById: Handler<
  typeof publishing.deleteSiteSpaceCustomizationById,
  PublishingEnvironment
> = async ({ params }, { site, db, commit }) => {
  const customized = { site, siteSpace: params.siteSpaceId };
  const remove = db.delete(siteCustomizations).where(sql`site = ${site.id} AND site_space = ${params.siteSpaceId}`);
  await commitChecked(db, [isThere(customized)], (guards) =>
    commit([...guards, remove], [customizedEvent(customized)]),
  );
  return undefined;
};
