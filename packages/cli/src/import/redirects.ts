import { isDeepStrictEqual } from 'node:util';
import type { Repository } from '@octavo/outline';
import {
  type ApiError,
  type BulkRedirect,
  findProblem,
  isApiError,
  maxBulkRedirects,
  type RedirectDestination,
  RedirectSource,
  type SiteRedirect,
  type SiteSpace,
  toStoredSource,
} from '@octavo/schema';
import { type Present, presentTree, walkPresent } from '@octavo/space-files';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import { listAll, listSiteSpaces } from '../spaces.ts';
import { createTally, type RemovedItem, type Tally } from './report.ts';
import type { ImportProblem } from './source.ts';

interface Published {
  organizationId: string;
  siteId: string;
  space: string;
  /** The path of the space on a site with sections, with a leading slash. Empty for the default space. */
  prefix?: string;
}

type Wanted = Pick<Repository, 'redirects' | 'formerAddresses'>;

/**
 * Sets the redirects that a repository defines, and redirects for the former addresses of its pages, on the site that
 * contains its space. Other redirects of the site are left unchanged. A redirect that cannot be set causes a warning
 * and does not prevent publishing.
 */
export async function setRedirects(
  api: Api,
  expected: Wanted,
  { space: spaceId, prefix = '', ...params }: Published,
): Promise<{ tally: Tally; problems: ImportProblem[] }> {
  const problems: ImportProblem[] = [];
  if (expected.redirects.length + expected.formerAddresses.redirects.length === 0)
    return { tally: createTally(), problems };
  const siteSpace = await getSiteSpace(api, params, spaceId);
  const { pages } = await api.listPages({ params: { spaceId }, query: { computed: 'false' } });
  const warn = (path: string, message: string): void => {
    problems.push({ path, kind: 'warning', message });
  };
  const planning = {
    siteSpace,
    pages: [...walkPresent(presentTree(pages))],
    present: await listRedirectsBySource(api, params),
  };
  const redirects = expected.redirects.map((redirect) => ({ ...redirect, source: `${prefix}${redirect.source}` }));
  const planned = [...planWrittenRedirects(redirects, planning, warn), ...planFormerAddresses(expected, planning)];
  return { tally: await sendChangedRedirects(api, params, planned, warn), problems };
}

/** An address that a site no longer has, with the page that replaces it, if any. */
export interface MovedAddress {
  address: string;
  target?: { siteSpaceId: string; page: string };
}

/**
 * Sets redirects to the pages that replace addresses, except addresses that have a redirect already. Returns the
 * addresses without a redirect.
 * @param removed The site spaces that were removed from the site. Redirects to them have no effect
 */
export async function redirectAddresses(
  api: Api,
  params: Site,
  { moved, removed }: { moved: readonly MovedAddress[]; removed: ReadonlySet<string> },
): Promise<{ tally: Tally; problems: ImportProblem[]; vanished: string[] }> {
  const problems: ImportProblem[] = [];
  const warn = (path: string, message: string): void => {
    problems.push({ path, kind: 'warning', message });
  };
  const all = [...(await listRedirectsBySource(api, params))];
  const present = new Map(
    all.filter(([, { destination: to }]) => !('siteSpaceId' in to && removed.has(to.siteSpaceId))),
  );
  const missing = moved.filter(({ address }) => !hasRedirect(present.values(), address));
  const planned = missing.flatMap(({ address, target }) =>
    target === undefined
      ? []
      : createPlannedRedirect(address, { siteSpace: { id: target.siteSpaceId }, page: target.page, present }),
  );
  const added = planned.filter(({ existing }) => existing === undefined);
  const tally = await sendChangedRedirects(api, params, added, warn);
  const redirected = new Set(added.map(({ change }) => change.source));
  const vanished = missing.flatMap(({ address }) => (redirected.has(address) ? [] : [address]));
  return { tally, problems, vanished };
}

/** Returns the former addresses of removed pages at which the site now has neither a page nor a redirect. */
export async function findVanishedAddresses(
  api: Api,
  removed: readonly RemovedItem[],
  { space: spaceId, prefix: knownPrefix, ...params }: Published,
): Promise<string[]> {
  const removedPaths = removed.flatMap(({ kind, page }) => (kind === 'page' && page !== undefined ? [page] : []));
  if (removedPaths.length === 0) return [];
  const siteSpace = await getSiteSpace(api, params, spaceId);
  const { pages } = await api.listPages({ params: { spaceId }, query: { computed: 'false' } });
  const paths = new Set([...walkPresent(presentTree(pages))].map(({ path }) => path));
  const redirects = [...(await listRedirectsBySource(api, params)).values()];
  const prefix = knownPrefix ?? (siteSpace.default ? '' : `/${siteSpace.path}`);
  return removedPaths
    .filter((path) => !paths.has(path))
    .map((path) => `${prefix}/${path}`)
    .filter((address) => !hasRedirect(redirects, address));
}

/** Whether a published redirect applies to an address. */
const hasRedirect = (redirects: Iterable<SiteRedirect>, address: string): boolean =>
  [...redirects].some(
    ({ source, draft }) =>
      !draft && (source.endsWith('/*') ? address.startsWith(source.slice(0, -1)) : getKey(source) === getKey(address)),
  );

interface Planning {
  siteSpace: SiteSpace;
  pages: Present[];
  /** The redirects of the site by source. */
  present: ReadonlyMap<string, SiteRedirect>;
}

/** Plans the redirects that the files of the repository define. */
function planWrittenRedirects(
  redirects: Wanted['redirects'],
  { siteSpace, pages, present }: Planning,
  warn: (path: string, message: string) => void,
): PlannedRedirect[] {
  const byPath = new Map(pages.map((page) => [page.git?.path, page.id]));
  return redirects.flatMap(({ source, ...target }) => {
    const page = 'path' in target ? byPath.get(target.path) : undefined;
    const problem = findProblem(RedirectSource, source);
    if (problem !== undefined) warn(source, `The source of the redirect ${problem}.`);
    else if ('url' in target) return createPlannedRedirect(source, { url: target.url, siteSpace, present });
    else if (page !== undefined)
      return createPlannedRedirect(source, { page, anchor: target.anchor, siteSpace, present });
    else warn(source, `The redirect points to ${target.path}, which is not a page of the space.`);
    return [];
  });
}

/**
 * Plans redirects for former addresses, except addresses that a page, or a redirect to another target, already uses.
 */
function planFormerAddresses({ formerAddresses }: Wanted, { siteSpace, pages, present }: Planning): PlannedRedirect[] {
  const byPath = new Map(pages.map((page) => [page.git?.path, page.id]));
  const inUse = new Set(siteSpace.default ? pages.map(({ path }) => toStoredSource(`/${path}`).source) : []);
  const isOfSiteSpace = ({ destination }: SiteRedirect): boolean =>
    'siteSpaceId' in destination && destination.siteSpaceId === siteSpace.id;
  const { base, redirects } = formerAddresses;
  const planned = redirects.flatMap(({ source, path }) => {
    const page = byPath.get(path);
    return page === undefined || inUse.has(toStoredSource(source).source)
      ? []
      : createPlannedRedirect(source, { siteSpace, page, present });
  });
  const folder = base.replace(/\/+$/, '');
  if (planned.length > 0 && findProblem(RedirectSource, folder) === undefined)
    for (const source of [folder, `${folder}/*`])
      planned.push(...createPlannedRedirect(source, { siteSpace, present }));
  return planned.filter(({ existing }) => existing === undefined || isOfSiteSpace(existing));
}

interface PlannedTarget extends Pick<Planning, 'present'> {
  siteSpace: Pick<SiteSpace, 'id'>;
  /** The ID of a page. If there is neither a page nor a URL, the destination is the site space. */
  page?: string;
  anchor?: string | undefined;
  /** A URL outside of the site. */
  url?: string;
}

function createPlannedRedirect(source: string, { siteSpace, present, ...target }: PlannedTarget): PlannedRedirect[] {
  const destination = toDestination(target, siteSpace.id);
  const captureWildcard = source.endsWith('/*') && destination.kind === 'site-space';
  const change = { source, intent: 'live' as const, permanent: true, captureWildcard, destination };
  return [{ existing: present.get(getKey(source)), change }];
}

function toDestination(
  { page: pageId, anchor, url }: Omit<PlannedTarget, 'siteSpace' | 'present'>,
  siteSpaceId: string,
): RedirectDestination {
  if (url !== undefined) return { kind: 'external', url };
  if (pageId === undefined) return { kind: 'site-space', siteSpaceId };
  return { kind: 'site-page', siteSpaceId, pageId, ...(anchor !== undefined && { anchor }) };
}

interface PlannedRedirect {
  /** The redirect that the site already has for this source. */
  existing: SiteRedirect | undefined;
  change: Extract<BulkRedirect, { destination: unknown }>;
}

/** Sends the redirects that differ from those of the site. */
async function sendChangedRedirects(
  api: Api,
  params: Site,
  planned: PlannedRedirect[],
  warn: (path: string, message: string) => void,
): Promise<Tally> {
  const tally = createTally();
  const changes = planned.filter(
    ({ existing, change }) => existing === undefined || !hasSameDestination(existing, change),
  );
  tally.unchanged = planned.length - changes.length;
  for (let start = 0; start < changes.length; start += maxBulkRedirects) {
    const sent = await sendRedirects(api, params, changes.slice(start, start + maxBulkRedirects), warn);
    for (const { existing } of sent) tally[existing === undefined ? 'created' : 'updated'] += 1;
  }
  return tally;
}

/**
 * Sends a batch of redirects. If the server rejects some, the batch is sent again without them. Returns the redirects
 * that were set.
 */
async function sendRedirects(
  api: Api,
  params: Site,
  batch: PlannedRedirect[],
  warn: (path: string, message: string) => void,
): Promise<PlannedRedirect[]> {
  let left = batch;
  while (left.length > 0) {
    try {
      await api.bulkUpsertSiteRedirects({ params, body: { redirects: left.map(({ change }) => change) } });
      break;
    } catch (error) {
      if (!isApiError(error)) throw error;
      const refused = getRejections(error);
      for (const [index, message] of refused) warn(left[index]?.change.source ?? '', message);
      if (refused.size === 0) for (const { change } of left) warn(change.source, error.message);
      left = refused.size === 0 ? [] : left.filter((_, index) => !refused.has(index));
    }
  }
  return left;
}

const getRejections = ({ issues = [] }: ApiError): Map<number, string> =>
  new Map(
    issues.flatMap(({ path, message }) => {
      const [, index, field] = /^(?:body\.)?redirects\.(\d+)\.?(.*)$/.exec(path) ?? [];
      return index === undefined ? [] : [[Number(index), `The redirect was not set: ${field} ${message}.`] as const];
    }),
  );

const hasSameDestination = (
  { destination, draft }: SiteRedirect,
  { destination: wanted }: PlannedRedirect['change'],
): boolean => !draft && isDeepStrictEqual(destination, wanted);

type Site = Omit<Published, 'space' | 'prefix'>;

async function getSiteSpace(api: Api, params: Site, spaceId: string): Promise<SiteSpace> {
  const siteSpace = (await listSiteSpaces(api, params)).find(({ space }) => space.id === spaceId);
  if (siteSpace === undefined) throw new Failure(`The site ${params.siteId} does not publish the space ${spaceId}.`);
  return siteSpace;
}

/** Returns the redirects of a site by source, including drafts. */
async function listRedirectsBySource(api: Api, params: Site): Promise<Map<string, SiteRedirect>> {
  const all = await listAll((query) => api.listSiteRedirects({ params, query }));
  return new Map(all.map((redirect) => [getKey(redirect.source), redirect]));
}

const getKey = (source: string): string => JSON.stringify(toStoredSource(source));
