import type { ChangeRequestRecord, Connection, Database, SiteRecord } from '@octavo/db';
import { findPreviewedSpace } from '@octavo/db';
import { addAnchor, getLocationUrl, getSiteUrl, parseSiteUrl, signVisitorToken, toVisitor } from '@octavo/runtime';
import type {
  ChangeRequestId,
  Claims,
  PageReading,
  PublishedContent,
  PublishedRedirect,
  ResolvedPage,
  RevisionId,
  SitePageReading,
  VisitorToken,
} from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { type FoundSite, findSite } from './find-site.ts';
import type { FormerLocation, SiteLocation } from './locations.ts';
import {
  findFirstRedirect,
  findFormerLocations,
  findLocation,
  getDestinationReadings,
  getPageLocation,
} from './locations.ts';
import { type KnownSite, toPath } from './queries.ts';
import type { AdmittedVisitor, PreviewPass } from './visitors.ts';
import {
  admitVisitor,
  getTokenExpiry,
  hashShareKey,
  mayBeShareKey,
  passParameter,
  readPreviewPass,
} from './visitors.ts';

interface Visit {
  url: string;
  jwt: string | undefined;
  unsignedClaims: Claims;
  redirectOnError: boolean;
}

/** The redirect of an address. */
export interface AddressRedirect extends PublishedRedirect {
  /** Undefined for a redirect to a sign-in page or to the anchor of a heading, which do not keep the query. */
  permanence?: 'permanent' | 'moved' | 'temporary';
}

/** An address with content, for internal use. */
export interface ResolvedContent extends PublishedContent {
  /** The previewed change request, if there is one. */
  previewed?: PreviewedChangeRequest | undefined;
  /** Whether a member previews the site with a preview pass. The content can be live. */
  isPreviewPass: boolean;
}

export type PreviewedChangeRequest = Pick<ChangeRequestRecord, 'number' | 'subject'>;

interface Resolving extends ResolvePagesContext {
  db: Database;
  /** The site of the address, if it is known. */
  knownSite?: KnownSite | undefined;
  /** The site with everything that the address may resolve to. Set if it is already being read. */
  pendingSite?: Promise<FoundSite | undefined> | undefined;
  /** Replaces `resolvePages` for live content, to read the page at the address in the same round trip. */
  resolvePage?: ((page: VisitedPage, addresses: PageReading[]) => Promise<(ResolvedPage | null)[]>) | undefined;
}

/** A page of live content that a visitor has requested. */
export interface VisitedPage extends Pick<SitePageReading, 'visitor' | 'space' | 'point' | 'path' | 'hasAlternates'> {}

const createNotFound = () => notFound('site');

/**
 * Resolves an address of a site for a visitor. At most two round trips, and one more for a preview. @throws ApiError
 * not_found
 */
export async function resolveAddress(visit: Visit, context: Resolving): Promise<ResolvedContent | AddressRedirect> {
  const { env } = context;
  const address = parseSiteUrl(env, visit.url);
  if (address === undefined) throw createNotFound();
  const { segments, url } = address;
  const preview = await readPreviewPass(env, visit.jwt ?? url.searchParams.get(passParameter));
  const site = await (context.pendingSite ?? findSiteAt(context.db, address, { ...context, preview }));
  if (site === undefined) throw createNotFound();
  const rest = segments.slice(site.depth);
  const admission = await admitVisitor(env, site, { ...visit, preview, segments: rest });
  if (admission === undefined) throw createNotFound();
  if (admission === 'signIn') return redirectToSignIn(site.site, rest);
  const resolution = { site, admittedVisitor: admission, preview, segments, anchor: getAnchor(url), context };
  return site.isFormer ? redirectToCurrentAddress(resolution) : resolveLocation(resolution);
}

type ParsedAddress = NonNullable<ReturnType<typeof parseSiteUrl>>;

/** Returns the hashes of all segments of an address that may be share keys. */
export function hashShareKeys({ candidates, segments }: Pick<ParsedAddress, 'candidates' | 'segments'>) {
  const depths = new Set(candidates.map(({ depth }) => depth));
  const mayBeKeys = [...depths].map((depth) => segments[depth] ?? '').filter(mayBeShareKey);
  return Promise.all(mayBeKeys.map(hashShareKey));
}

/** Finds the site of an address, with everything that the address may resolve to. One round trip. */
export async function findSiteAt(
  db: Database,
  { candidates, segments }: ParsedAddress,
  { knownSite, preview }: { knownSite?: KnownSite | undefined; preview?: PreviewPass | undefined },
): Promise<FoundSite | undefined> {
  const hashes = await hashShareKeys({ candidates, segments });
  const siteOptions = { isKeyed: preview === undefined, user: preview?.user ?? null };
  return findSite(db, { candidates, segments, hashes, knownSite, ...siteOptions });
}

/** Redirects to the site's sign-in page, with the location to return to. */
function redirectToSignIn({ authFallback }: SiteRecord, rest: string[]): AddressRedirect {
  const fallback = new URL(authFallback ?? '');
  fallback.searchParams.set('location', `/${rest.map(encodeURIComponent).join('/')}`);
  return { target: 'external', redirect: fallback.href };
}

/** Redirects a former address of the site to the current one. */
async function redirectToCurrentAddress(resolution: Resolution): Promise<AddressRedirect> {
  const result = await resolveLocation(resolution);
  return 'target' in result
    ? result
    : { target: 'content', redirect: getRequestedUrl(resolution), permanence: 'moved' };
}

interface Resolution {
  site: FoundSite;
  admittedVisitor: AdmittedVisitor;
  preview: PreviewPass | undefined;
  segments: string[];
  /** The decoded fragment of the address. */
  anchor: string;
  context: Resolving;
}

function getAnchor({ hash }: URL): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return '';
  }
}

async function resolveLocation(resolution: Resolution): Promise<ResolvedContent | AddressRedirect> {
  const { site, admittedVisitor, preview, anchor, context } = resolution;
  const location = findLocation(site, admittedVisitor.segments, admittedVisitor.claims);
  if (location === undefined) throw createNotFound();
  const { version, path } = readVersion(location.rest);
  const previewed = preview === undefined ? {} : await findPreviewedVersion(resolution, location, version);
  if (previewed === undefined || (preview === undefined && version !== undefined)) throw createNotFound();
  const { space } = location.siteSpace;
  const isOfPage = version === undefined && path.length > 0;
  const formerLocations = isOfPage ? findFormerLocations(site, { ...admittedVisitor, location }) : [];
  const formerPaths = formerLocations.map(({ formerPath }) => formerPath);
  const { claims } = admittedVisitor;
  const request = { space, ...version, path: path.join('/'), anchor, claims, former: formerPaths };
  const redirected = isOfPage ? getDestinationReadings(site, claims) : [];
  const addresses = [request, ...redirected];
  const { resolvePage } = context;
  const [resolvedPage = null, ...pages] = await (resolvePage === undefined || preview !== undefined
    ? resolvePages(context, addresses)
    : resolvePresent(addresses, async (present) => resolvePage(await toVisitedPage(resolution, location), present)));
  const isMissing = isOfPage && (resolvedPage === null || resolvedPage.isOld);
  const elsewhere = isMissing
    ? (followConfiguredRedirect(resolution, pages) ??
      redirectFormerPage(resolution, { location, formerLocations, resolvedPage }))
    : undefined;
  if (elsewhere !== undefined) return elsewhere;
  const foundPage = isMissing ? null : resolvedPage;
  if (foundPage?.anchor !== undefined && version === undefined)
    return {
      target: 'content',
      redirect: addAnchor(getCanonicalUrl(resolution, location, foundPage), foundPage.anchor),
    };
  const canonicalUrl = getCanonicalUrl(resolution, location, foundPage);
  return {
    ...(await presentResolution(resolution, { location, version, path, page: foundPage, canonicalUrl })),
    previewed: previewed.changeRequest,
    isPreviewPass: preview !== undefined,
  };
}

/** Returns the requested page, with the visitor who may see its space at the location. */
async function toVisitedPage(resolution: Resolution, location: SiteLocation): Promise<VisitedPage> {
  const { section, siteSpace, rest } = location;
  const visitor = await toVisitor(createToken(resolution, undefined), resolution.site.site);
  visitor.isPublic &&= [section?.condition, siteSpace.condition].every((condition) => condition == null);
  return {
    ...{ visitor, space: siteSpace.space, point: siteSpace.head },
    path: rest[0] === '~' ? undefined : rest.join('/'),
    hasAlternates: siteSpace.siblings.length > 0,
  };
}

interface ResolvedLocation {
  location: SiteLocation;
  formerLocations: FormerLocation[];
  resolvedPage: ResolvedPage | null;
}

/** Redirects to the current address of a page that once had the requested address. */
function redirectFormerPage(
  resolution: Resolution,
  { location, formerLocations: formers, resolvedPage }: ResolvedLocation,
): AddressRedirect | undefined {
  if (resolvedPage === null) return undefined;
  const redirect = getCanonicalUrl(
    resolution,
    { ...getPageLocation(location, formers, resolvedPage), rest: location.rest },
    resolvedPage,
  );
  return redirect === getRequestedUrl(resolution)
    ? undefined
    : { target: 'content', redirect: addAnchor(redirect, resolvedPage.anchor), permanence: 'moved' };
}

/** Follows a configured redirect, which precedes former addresses of pages. */
function followConfiguredRedirect(
  { site, admittedVisitor, context }: Resolution,
  pages: (ResolvedPage | null)[],
): AddressRedirect | undefined {
  const { segments, claims, shareKey } = admittedVisitor;
  const redirect = findFirstRedirect(pages, {
    source: toPath(segments),
    claims,
    site,
    shareKey,
    env: context.env,
  });
  if (redirect === undefined) return undefined;
  const { destination, permanent } = redirect.redirect;
  const target = destination.kind === 'external' ? 'external' : 'content';
  return { target, redirect: redirect.target, permanence: permanent ? 'permanent' : 'temporary' };
}

/**
 * Finds the previewed change request, if there is one. Undefined if the previewing user cannot open the space, or if
 * the change request or revision does not exist there.
 */
async function findPreviewedVersion(
  resolution: Resolution,
  { siteSpace }: SiteLocation,
  version: Version | undefined,
): Promise<{ changeRequest?: PreviewedChangeRequest | undefined } | undefined> {
  const token = createToken(resolution, version);
  if (token.preview === undefined) return undefined;
  const target = { space: siteSpace.space, ...version };
  const space = await findPreviewedSpace(resolution.context.db, { ...token, preview: token.preview }, target);
  const { role = null, point, changeRequest } = space?.access ?? {};
  const pointExists = version === undefined || !('changeRequest' in version) || changeRequest !== undefined;
  return role !== null && point !== undefined && pointExists ? { changeRequest } : undefined;
}

function createToken(
  { site: { site }, admittedVisitor, preview }: Resolution,
  version: Version | undefined,
): VisitorToken {
  const { claims, shareLink } = admittedVisitor;
  return {
    organization: site.organization,
    site: site.id,
    stamp: site.stamp,
    ...(shareLink === undefined ? {} : { shareLink }),
    claims,
    ...(preview === undefined ? {} : { preview: { user: preview.user, ...version } }),
    expires: preview?.expires ?? getTokenExpiry(Date.now()),
  };
}

/** Returns the canonical URL of the page, or of its site space if there is no page. */
function getCanonicalUrl(
  { site, admittedVisitor, context }: Resolution,
  { section, siteSpace, rest }: Pick<FormerLocation, 'section' | 'siteSpace'> & { rest: string[] },
  page: ResolvedPage | null,
) {
  const { shareKey } = admittedVisitor;
  const base = getSiteUrl(context.env, site.site);
  return getLocationUrl(base, { shareKey, section, siteSpace, page: rest.length === 0 ? '' : page?.path });
}

/** Returns the URL of the requested path at the site's current address. */
const getRequestedUrl = ({ site, admittedVisitor: { shareKey, segments }, context }: Resolution): string =>
  getLocationUrl(getSiteUrl(context.env, site.site), { shareKey, page: segments.join('/') });

interface PresentedLocation {
  location: SiteLocation;
  version: Version | undefined;
  path: string[];
  page: ResolvedPage | null;
  canonicalUrl: string;
}

async function presentResolution(
  resolution: Resolution,
  { location, version, path, page, canonicalUrl }: PresentedLocation,
): Promise<PublishedContent> {
  const { site: foundSite, admittedVisitor, segments, context } = resolution;
  const { site, depth } = foundSite;
  const { section, siteSpace, isTerminal } = location;
  const { shareKey } = admittedVisitor;
  return {
    site: site.id,
    ...(section === undefined ? {} : { siteSection: section.id }),
    siteSpace: siteSpace.id,
    space: siteSpace.space,
    organization: site.organization,
    ...version,
    pathname: `/${path.map(encodeURIComponent).join('/')}`,
    basePath: getFolder(segments.slice(0, segments.length - path.length)),
    siteBasePath: getFolder(segments.slice(0, depth + (shareKey === undefined ? 0 : 1))),
    apiToken: await signVisitorToken(context.env, createToken(resolution, version)),
    ...(shareKey === undefined ? {} : { shareKey }),
    complete: page !== null && (path.length > 0 || isTerminal),
    canonicalUrl,
  };
}

const getFolder = (segments: string[]): string => ['', ...segments.map(encodeURIComponent), ''].join('/');

interface ResolvePagesContext extends Pick<Connection, 'callWorker'> {
  env: PublishingEnvironment;
}

/**
 * Resolves pages in the given order; null for a missing page. One round trip, or none if there is nothing to resolve.
 */
export const resolvePages = (
  { env, callWorker }: ResolvePagesContext,
  readings: (PageReading | null)[],
): Promise<(ResolvedPage | null)[]> =>
  resolvePresent(readings, (present) => callWorker((bookmark) => env.CONTENT.resolvePages(present, bookmark)));

/** Resolves those addresses that are not null, and returns null for the others. */
async function resolvePresent(
  readings: (PageReading | null)[],
  resolve: (present: PageReading[]) => Promise<(ResolvedPage | null)[]>,
): Promise<(ResolvedPage | null)[]> {
  const presentReadings = readings.filter((each) => each !== null);
  const resolvedPages = presentReadings.length === 0 ? [] : await resolve(presentReadings);
  const rest = resolvedPages.values();
  return readings.map((each) => (each === null ? null : (rest.next().value ?? null)));
}

/** A previewed change request or revision. */
type Version = { changeRequest: ChangeRequestId } | { revision: RevisionId };

/** Reads the `~/changes/<id>` or `~/revisions/<id>` at the start of a path, and returns the rest. */
function readVersion(path: string[]): { version: Version | undefined; path: string[] } {
  const [mark, kind, id, ...rest] = path;
  if (mark !== '~' || id === undefined) return { version: undefined, path };
  if (kind === 'changes') return { version: { changeRequest: id }, path: rest };
  return kind === 'revisions' ? { version: { revision: id }, path: rest } : { version: undefined, path };
}
