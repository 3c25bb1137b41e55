import { onlyRow, readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { customizationOf, presentCustomization } from './customization-record.ts';

export const getSiteCustomizationById: Handler<
  typeof publishing.getSiteCustomizationById,
  PublishingEnvironment
> = async (_, { db, site }) => presentCustomization(onlyRow(await readRows(db, customizationOf(site.id, ''))));
