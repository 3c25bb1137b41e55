import type { RecordOf } from '@octavo/db';
import { maybe, selection, siteCustomizations, siteSpaces, statement } from '@octavo/db';
import type { SiteCustomization, SiteId } from '@octavo/schema';
import { fullCustomization, timestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

const whole = aliasedTable(siteCustomizations, 'whole');
const own = aliasedTable(siteCustomizations, 'own');

const rowOf = (table: typeof whole) => maybe({ updatedAt: table.updatedAt, settings: table.settings });

const customizationRow = selection({
  siteSpace: maybe(aliasedTable(siteSpaces, 'ss').id),
  whole: rowOf(whole),
  own: rowOf(own),
});

/** What a site, or one of its site spaces, has set. */
export type CustomizationRecord = RecordOf<typeof customizationRow>;

/** Gives a row where the site has the site space, and for the site itself, whose site space is ''. */
export const customizationOf = statement((site: SQL<SiteId>, siteSpace: SQL<string>) =>
  customizationRow.query(sql`
    SELECT ${customizationRow} FROM (SELECT ${siteSpace} AS id) asked
    LEFT JOIN site_spaces ss ON ss.id = asked.id AND ss.site = ${site}
    LEFT JOIN site_customizations whole ON whole.site = ${site} AND whole.site_space = ''
    LEFT JOIN site_customizations own ON own.site = ${site} AND own.site_space = ss.id
    WHERE asked.id = '' OR ss.id IS NOT NULL`),
);

export function presentCustomization({ whole, own }: Pick<CustomizationRecord, 'whole' | 'own'>): SiteCustomization {
  const updatedAt = Math.max(whole?.updatedAt ?? 0, own?.updatedAt ?? 0);
  const full = fullCustomization(whole?.settings, own?.settings);
  return updatedAt === 0 ? full : { ...full, updatedAt: timestamp(updatedAt) };
}
