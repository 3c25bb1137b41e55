import { connect, type Database, fromQuery, nullable, readRow, selection, siteRow } from '@octavo/db';
import { getTokens, themeScript } from '@octavo/reader';
import { type PageContext, readSessionCookie, type ServedPage, signVisitorToken } from '@octavo/runtime';
import {
  buildContentPolicy,
  createDefaultCustomization,
  type DocumentPage,
  type PolicySource,
  type SpaceId,
  toWebOrigin,
} from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { getTokenExpiry } from '../resolution/visitors.ts';
import { filesPath, getHashSource, readAssetUrls, serveReaderFile } from './reader-files.ts';
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
  if (ids.site === undefined && ids.space === undefined) return undefined;
  const location = await findPublicLocation(db, ids);
  if (location === undefined) return undefined;
  const { site } = location;
  const [section, siteSpace] = [location.section, location.siteSpace].map((id) =>
    id === null ? undefined : { path: id, isDefault: false },
  );
  if (page === undefined) return urls.published(site, { section, siteSpace });
  const visitor = { organization: site.organization, site: site.id, stamp: site.stamp, claims: {} };
  const token = await signVisitorToken(env, { ...visitor, expires: getTokenExpiry(Date.now()) });
  const api = createSiteApi({ request, env, background, token, connection: connect(env.DB, { intent: 'read' }) });
  const publishedPage = await api.get<DocumentPage>(`/v1/spaces/${ids.space}/content/page/${page}?metadata=true`);
  return publishedPage === undefined
    ? undefined
    : urls.published(site, { section, siteSpace, page: publishedPage.path });
}

/** The appearance of the app is that of a site without a customization. */
const customization = createDefaultCustomization();
const getAppStyle = (): string => `${getTokens(customization)}:root{--font:"Inter",var(--sans)}`;

const preloadedFont = 'inter-latin.woff2';

async function createAppPolicy(request: Request, style: string): Promise<string> {
  const origin = toWebOrigin(new URL(request.url).origin);
  // Only the files of the build, because the host also serves files of integrations.
  const files: PolicySource[] = origin === undefined ? [] : [`${origin}/${filesPath}`];
  return buildContentPolicy({
    'default-src': ["'none'"],
    'script-src': [...files, await getHashSource(themeScript)],
    'style-src': [...files, await getHashSource(style)],
    'img-src': ["'self'", 'https:', 'data:', 'blob:'],
    'font-src': ["'self'"],
    'media-src': ["'self'", 'https:'],
    'connect-src': ["'self'"],
    // The sandboxed page that draws diagrams.
    'frame-src': ["'self'"],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  });
}

/** Returns the HTML in which the app starts. It is the same for all users: the app reads everything from the API. */
async function createAppShell(request: Request, env: PublishingEnvironment): Promise<Response> {
  const { ofHost, appScripts } = await readAssetUrls(env);
  const [script = '', ...imported] = appScripts;
  const style = getAppStyle();
  const preloads = imported.map((name) => `<link rel="modulepreload" href="${name}">`).join('');
  // Safe: it contains only constants, and the names of files that the build wrote.
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Octavo</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<script>${themeScript}</script>
<link rel="preload" as="font" type="font/woff2" crossorigin="anonymous" href="${ofHost.file(preloadedFont)}">
<link rel="stylesheet" href="${ofHost.file('inter.css')}">
<link rel="stylesheet" href="${ofHost.file('app.css')}">
<style>${style}</style>
${preloads}<script type="module" src="${script}"></script>
<div id="app" data-diagrams="${ofHost.file('diagrams.html')}"><noscript>Octavo needs JavaScript.</noscript></div>
</html>`;
  return new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': await createAppPolicy(request, style),
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    },
  });
}

/**
 * Serves `urls.app`. With a session, it is a page of the app. Otherwise the response redirects to public content, or
 * else to the sign-in page, which is the same for missing and for hidden content.
 */
async function serveAppPage(request: Request, context: Context): Promise<Response> {
  if (readSessionCookie(request, context.env) !== undefined) return createAppShell(request, context.env);
  const { path = '' } = context.params;
  const { pathname, search } = new URL(request.url);
  const location =
    (await getPublicUrl(request, path, context)) ?? `/login?to=${encodeURIComponent(`${pathname}${search}`)}`;
  return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
}

/** Serves the files of the app, which are at the root of the API's host. */
const serveAppFile = (request: Request, { env, params }: Context): Promise<Response> =>
  serveReaderFile(request, env, params.path ?? '');

export const appPages: ServedPage<PublishingEnvironment>[] = [
  ...(['/app', '/app/', '/app/:path+'] as const).map((path) => ({
    method: 'GET' as const,
    path,
    handler: serveAppPage,
  })),
  { method: 'GET', path: `/${filesPath}:path+`, handler: serveAppFile },
];
