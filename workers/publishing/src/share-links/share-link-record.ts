import type { RecordOf, SiteRecord } from '@octavo/db';
import { selection, siteShareLinks } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { shareKeyOf } from '@octavo/runtime';
import type { ShareLink } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { aliasedTable } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';

const k = aliasedTable(siteShareLinks, 'k');

/** Of `site_share_links k`. */
export const shareLinkRow = selection({ id: k.id, name: k.name, active: k.active, createdAt: k.createdAt });
export type ShareLinkRecord = RecordOf<typeof shareLinkRow>;

interface Shared {
  site: SiteRecord;
  env: PublishingEnvironment;
  urls: Urls;
}

/** The address with the key is told to those who manage the site. */
export async function presentShareLink(record: ShareLinkRecord, { site, env, urls }: Shared): Promise<ShareLink> {
  const { id, name, active, createdAt } = record;
  const published = urls.published(site, { shareKey: await shareKeyOf(env, id) });
  return { object: 'share-link', id, createdAt: timestamp(createdAt), name, active, urls: { published } };
}
