import type { ChangeRequestRecord, Connection, Database, SiteRecord } from '@octavo/db';
import { findPreviewedSpace } from '@octavo/db';
import { getLocationUrl, getSiteUrl, parseSiteUrl, signVisitorToken, withAnchor } from '@octavo/runtime';
import type {
  ChangeRequestId,
  Claims,
  PageReading,
  PublishedContent,
  PublishedRedirect,
  ResolvedPage,
  RevisionId,
  VisitorToken,
} from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { findFirstRedirect, getReadings } from '../redirects/apply-redirects.ts';
import { type FoundSite, findSite } from './find-site.ts';
import {
  type FormerLocation,
  findFormerLocations,
  findLocation,
  getPageLocation,
  type SiteLocation,
} from './locations.ts';
import { toPath } from './queries.ts';
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
  isOfPass: boolean;
}

export type PreviewedChangeRequest = Pick<ChangeRequestRecord, 'number' | 'subject'>;

interface Resolving {
  env: PublishingEnvironment;
  db: Database;
  absorb: Connection['absorb'];
}

const createNotFound = () => notFound('site');

/**
 * Resolves an address of a site for a visitor. At most two round trips, and one more for a preview. @throws ApiError
 * not_found
 */
export async function resolveAddress(visit: Visit, context: Resolving): Promise<ResolvedContent | AddressRedirect> {
  const { env } = context;
  const address = parseSiteUrl(env, visit.url);
  if (address === undefined) throw createNotFound();
  const { candidates, segments, url } = address;
  const depths = new Set(candidates.map(({ depth }) => depth));
  const mayBeKeys = [...depths].map((depth) => segments[depth] ?? '').filter(mayBeShareKey);
  const hashes = await Promise.all(mayBeKeys.map(hashShareKey));
  const preview = await readPreviewPass(env, visit.jwt ?? url.searchParams.get(passParameter));
  const siteOptions = { isKeyed: preview === undefined, user: preview?.user ?? null };
  const site = await findSite(context.db, { candidates, segments, hashes, ...siteOptions });
  if (site === undefined) throw createNotFound();
  const rest = segments.slice(site.depth);
  const admission = await admitVisitor(env, site, { ...visit, preview, segments: rest });
  if (admission === undefined) throw createNotFound();
  if (admission === 'signIn') return redirectToSignIn(site.site, rest);
  const resolution = { site, admittedVisitor: admission, preview, segments, anchor: getAnchor(url), context };
  return site.isFormer ? redirectToCurrentAddress(resolution) : resolveLocation(resolution);
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
  const redirected = isOfPage ? getReadings(site, claims) : [];
  const [resolvedPage = null, ...pages] = await resolvePages(context, [request, ...redirected]);
  const isMissing = isOfPage && (resolvedPage === null || resolvedPage.isOld);
  const elsewhere = isMissing
    ? (followConfiguredRedirect(resolution, pages) ??
      redirectFormerPage(resolution, { location, formerLocations, answer: resolvedPage }))
    : undefined;
  if (elsewhere !== undefined) return elsewhere;
  const page = isMissing ? null : resolvedPage;
  if (page?.anchor !== undefined && version === undefined)
    return { target: 'content', redirect: withAnchor(getCanonicalUrl(resolution, location, page), page.anchor) };
  const canonicalUrl = getCanonicalUrl(resolution, location, page);
  return {
    ...(await presentResolution(resolution, { location, version, path, page, canonicalUrl })),
    previewed: previewed.changeRequest,
    isOfPass: preview !== undefined,
  };
}

interface Answered {
  location: SiteLocation;
  formerLocations: FormerLocation[];
  answer: ResolvedPage | null;
}

/** Redirects to the current address of a page that once had the requested address. */
function redirectFormerPage(
  resolution: Resolution,
  { location, formerLocations: formers, answer }: Answered,
): AddressRedirect | undefined {
  if (answer === null) return undefined;
  const redirect = getCanonicalUrl(
    resolution,
    { ...getPageLocation(location, formers, answer), rest: location.rest },
    answer,
  );
  return redirect === getRequestedUrl(resolution)
    ? undefined
    : { target: 'content', redirect: withAnchor(redirect, answer.anchor), permanence: 'moved' };
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

interface Presented {
  location: SiteLocation;
  version: Version | undefined;
  path: string[];
  page: ResolvedPage | null;
  canonicalUrl: string;
}

async function presentResolution(
  resolution: Resolution,
  { location, version, path, page, canonicalUrl }: Presented,
): Promise<PublishedContent> {
  const { site: found, admittedVisitor, segments, context } = resolution;
  const { site, depth } = found;
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

interface ResolvePagesContext {
  env: PublishingEnvironment;
  absorb: Connection['absorb'];
}

/**
 * Resolves pages in the given order; null for a missing page. One round trip, or none if there is nothing to resolve.
 */
export async function resolvePages(
  { env, absorb }: ResolvePagesContext,
  readings: (PageReading | null)[],
): Promise<(ResolvedPage | null)[]> {
  const presentReadings = readings.filter((each) => each !== null);
  const resolvedPages = presentReadings.length === 0 ? [] : absorb(await env.CONTENT.resolvePages(presentReadings));
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
