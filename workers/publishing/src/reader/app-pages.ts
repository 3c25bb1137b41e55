import { type Database, fromQuery, nullable, readRow, selection, siteRow } from '@octavo/db';
import { createHtmlPage, html, type PageContext, type ServedPage, signVisitorToken } from '@octavo/runtime';
import type { DocumentPage, SpaceId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { getTokenExpiry } from '../resolution/visitors.ts';
import { createSiteApi } from './site-visit.ts';

const openRow = selection({
  site: siteRow.fields,
  section: nullable(fromQuery(String)),
  siteSpace: nullable(fromQuery(String)),
});

/** Finds a public, published site, and the section and site space that show the requested space to everyone. */
const findPublicLocation = (
  db: Database,
  { site = null, space = null }: { site?: string | null; space?: SpaceId | null },
) =>
  readRow(
    db,
    openRow.query(sql`
      SELECT ${openRow.with({
        section: sql`CASE WHEN sec.is_default = 0 THEN sec.path END`,
        siteSpace: sql`CASE WHEN ss.is_default = 0 THEN ss.path END`,
      })}
      FROM (SELECT id, site, section, path, is_default, condition, position FROM site_spaces WHERE space = ${space}
        UNION ALL SELECT NULL, ${site}, '', '', 1, NULL, '' WHERE ${site} IS NOT NULL) ss
      CROSS JOIN sites st ON st.id = ss.site AND st.published AND st.visibility = 'public'
      CROSS JOIN organizations o ON o.id = st.organization
      LEFT JOIN site_sections sec ON sec.id = ss.section
      LEFT JOIN spaces s ON s.id = ${space}
      WHERE ss.condition IS NULL AND sec.condition IS NULL AND s.deleted_at IS NULL
      ORDER BY st.created_at, st.id, sec.position, ss.position LIMIT 1`),
  );

const contentPath =
  /^(?:orgs\/[^/]+\/sites\/(?<site>[^/]+)|spaces\/(?<space>[^/]+)(?:\/content(?:\/page\/(?<page>[^/]+))?)?)\/?$/;

type Context = PageContext<PublishingEnvironment>;

/** Returns the public URL of the content at a path of the application; undefined if it is not public. */
async function getPublicUrl(request: Request, path: string, context: Context): Promise<string | undefined> {
  const { env, db, urls, background } = context;
  const { page, ...ids } = contentPath.exec(path)?.groups ?? {};
  const location = await findPublicLocation(db, ids);
  if (location === undefined) return undefined;
  const { site } = location;
  const [section, siteSpace] = [location.section, location.siteSpace].map((id) =>
    id === null ? undefined : { path: id, isDefault: false },
  );
  if (page === undefined) return urls.published(site, { section, siteSpace });
  const visitor = { organization: site.organization, site: site.id, stamp: site.stamp, claims: {} };
  const token = await signVisitorToken(env, { ...visitor, expires: getTokenExpiry(Date.now()) });
  const api = createSiteApi({ request, env, background, token, cost: { trips: 0, rowsRead: 0, rowsWritten: 0 } });
  const publishedPage = await api.get<DocumentPage>(`/v1/spaces/${ids.space}/content/page/${page}?metadata=true`);
  return publishedPage === undefined
    ? undefined
    : urls.published(site, { section, siteSpace, page: publishedPage.path });
}

/** Serves `urls.app` until there is a web application: redirects to public content, else shows the API path. */
async function serveAppPage(request: Request, context: Context): Promise<Response> {
  const { path = '' } = context.params;
  const location = await getPublicUrl(request, path, context);
  if (location !== undefined)
    return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
  return createHtmlPage({
    title: 'Octavo',
    body: html`<p>Octavo has no web application yet. Use the API to read this object:</p>
<p><code>/v1/${path}</code></p>
<p><a href="/reference">API reference</a></p>`,
  });
}

export const appPages: ServedPage<PublishingEnvironment>[] = [
  { method: 'GET', path: '/app/:path+', handler: serveAppPage },
];
