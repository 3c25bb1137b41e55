import type { Parameter, RecordOf, SiteRecord } from '@octavo/db';
import { decodeTimeCursor, paginate, prepareQuery, readRows, selection, siteShareLinks } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { deriveShareKey } from '@octavo/runtime';
import type { ShareLink, SiteId } from '@octavo/schema';
import { createId, formatTimestamp, notFound } from '@octavo/schema';
import { aliasedTable, and, desc, eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { hashShareKey } from '../resolution/visitors.ts';
import {
  createItemInPathCheck,
  createItemLimitCheck,
  omitIfEmpty,
  writeStructure,
} from '../structure/write-structure.ts';

export const listSiteShareLinks = handler('listSiteShareLinks', async ({ query: { page, limit } }, context) => {
  const { db, site } = context;
  const links = await readRows(db, linksOfSite(site.id, ...decodeTimeCursor(page), limit + 1));
  const list = paginate(links, limit, {
    item: (record) => record,
    getCursor: ({ createdAt, id }) => [createdAt, id],
  });
  return { ...list, items: await Promise.all(list.items.map((record) => presentShareLink(record, context))) };
});

export const createSiteShareLink = handler('createSiteShareLink', async ({ body: { name } }, context) => {
  const { db, env, site } = context;
  const id = createId('shareLink');
  const keyHash = await hashShareKey(await deriveShareKey(env, id));
  const row = { id, site: site.id, name, active: true, keyHash, createdAt: Date.now() };
  await writeStructure(
    context,
    {
      event: { type: 'share_link.created', data: { site: site.id, shareLink: id } },
      checks: [createItemLimitCheck(site.id, 'site_share_links')],
      statements: [db.insert(siteShareLinks).values(row)],
    },
    [],
  );
  return presentShareLink(row, context);
});

/** An inactive link admits no visitors, including those who used it before. */
export const updateSiteShareLinkById = handler(
  'updateSiteShareLinkById',
  async ({ params: { shareLinkId: id }, body: { active, name } }, context) => {
    const { db, site } = context;
    const changes = omitIfEmpty({ active, name });
    const { changed } = await writeStructure(
      context,
      {
        event: { type: 'share_link.updated', data: { site: site.id, shareLink: id } },
        checks: [createItemInPathCheck(context, 'site_share_links', id)],
        statements:
          changes === undefined ? [] : [db.update(siteShareLinks).set(changes).where(eq(siteShareLinks.id, id))],
      },
      { changed: linkById(site.id, id) },
    );
    if (changed[0] === undefined) throw notFound('share link');
    return presentShareLink(changed[0], context);
  },
);

export const deleteSiteShareLinkById = handler(
  'deleteSiteShareLinkById',
  async ({ params: { shareLinkId: id } }, context) => {
    const { db, site } = context;
    await writeStructure(
      context,
      {
        event: { type: 'share_link.deleted', data: { site: site.id, shareLink: id } },
        checks: [createItemInPathCheck(context, 'site_share_links', id)],
        statements: [db.run(sql`DELETE FROM site_share_links WHERE id = ${id} AND site = ${site.id}`)],
      },
      [],
    );
    return undefined;
  },
);

const k = aliasedTable(siteShareLinks, 'k');

const shareLinkRow = selection({ id: k.id, name: k.name, active: k.active, createdAt: k.createdAt });
type ShareLinkRecord = RecordOf<typeof shareLinkRow>;

const linkById = prepareQuery(shareLinkRow, (select, site: Parameter<SiteId>, id: Parameter<string>) =>
  select.from(k).where(and(eq(k.id, id), eq(k.site, site))),
);
const linksOfSite = prepareQuery(
  shareLinkRow,
  (select, site: Parameter<SiteId>, time: Parameter<number>, id: Parameter<string>, limit: Parameter<number>) =>
    select
      .from(k)
      .where(and(eq(k.site, site), sql`(${k.createdAt}, ${k.id}) < (${time}, ${id})`))
      .orderBy(desc(k.createdAt), desc(k.id))
      .limit(limit),
);

interface Shared {
  site: SiteRecord;
  env: PublishingEnvironment;
  urls: Urls;
}

/** Only callers who can manage the site receive the URL with the key. */
async function presentShareLink(record: ShareLinkRecord, { site, env, urls }: Shared): Promise<ShareLink> {
  const { id, name, active, createdAt } = record;
  const published = urls.published(site, { shareKey: await deriveShareKey(env, id) });
  return { object: 'share-link', id, createdAt: formatTimestamp(createdAt), name, active, urls: { published } };
}
