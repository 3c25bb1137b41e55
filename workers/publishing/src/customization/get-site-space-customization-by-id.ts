import { readRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { customizationOf, presentCustomization } from './customization-record.ts';

export const getSiteSpaceCustomizationById: Handler<
  typeof publishing.getSiteSpaceCustomizationById,
  PublishingEnvironment
> = async ({ params }, { db, site }) => {
  const found = await readRow(db, customizationOf(site.id, params.siteSpaceId));
  if (found === undefined) throw notFound('site space');
  return presentCustomization(found);
};
