import { paginate } from '@octavo/client';
import {
  type ApiError,
  type BulkRedirect,
  findProblem,
  isApiError,
  maxBulkRedirects,
  RedirectSource,
  type SiteRedirect,
  toStoredSource,
} from '@octavo/schema';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import { collect } from '../spaces.ts';
import { presentTree, walkPresent } from './present.ts';
import { newTally, type Tally } from './report.ts';
import type { ImportProblem } from './source.ts';

interface WantedRedirect {
  source: string;
  path: string;
}

interface Published {
  organizationId: string;
  siteId: string;
  space: string;
}

/**
 * Sets the redirects of a repository on the site that contains its space. Other redirects of the site are left
 * unchanged. A redirect that cannot be set is a warning: it never prevents that the site is published.
 */
export async function setRedirects(
  api: Api,
  wanted: readonly WantedRedirect[],
  { space: spaceId, ...params }: Published,
): Promise<{ tally: Tally; problems: ImportProblem[] }> {
  const tally = newTally();
  const problems: ImportProblem[] = [];
  if (wanted.length === 0) return { tally, problems };
  const siteSpaceId = await getSiteSpace(api, params, spaceId);
  const { pages } = await api.listPages({ params: { spaceId }, query: { computed: 'false' } });
  const byPath = new Map([...walkPresent(presentTree(pages))].map((page) => [page.git?.path, page.id]));
  const present = await presentRedirects(api, params);
  const changes: PlannedRedirect[] = [];
  const warn = (path: string, message: string) => problems.push({ path, kind: 'warning', message });
  for (const { source, path } of wanted) {
    const pageId = byPath.get(path);
    const reason = whyNot(source, path, pageId);
    const there = reason === undefined ? present.get(toStoredSource(source).source) : undefined;
    if (reason !== undefined || pageId === undefined) warn(source, reason ?? '');
    else if (there !== undefined && hasTarget(there, siteSpaceId, pageId)) tally.unchanged += 1;
    else
      changes.push({
        kind: there === undefined ? 'created' : 'updated',
        change: { source, intent: 'live', permanent: true, destination: { kind: 'site-page', siteSpaceId, pageId } },
      });
  }
  for (let start = 0; start < changes.length; start += maxBulkRedirects) {
    const sent = await sendRedirects(api, params, changes.slice(start, start + maxBulkRedirects), warn);
    for (const { kind } of sent) tally[kind] += 1;
  }
  return { tally, problems };
}

interface PlannedRedirect {
  kind: 'created' | 'updated';
  change: BulkRedirect;
}

/** Sends a batch of redirects, again without those that the server rejects. Returns those that were set. */
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
      const refused = getRefused(error);
      for (const [index, message] of refused) warn(left[index]?.change.source ?? '', message);
      if (refused.size === 0) for (const { change } of left) warn(change.source, error.message);
      left = refused.size === 0 ? [] : left.filter((_, index) => !refused.has(index));
    }
  }
  return left;
}

const getRefused = ({ issues = [] }: ApiError): Map<number, string> =>
  new Map(
    issues.flatMap(({ path, message }) => {
      const [, index, field] = /^(?:body\.)?redirects\.(\d+)\.?(.*)$/.exec(path) ?? [];
      return index === undefined ? [] : [[Number(index), `The redirect was not set: ${field} ${message}.`] as const];
    }),
  );

function whyNot(source: string, path: string, page: string | undefined): string | undefined {
  const problem = findProblem(RedirectSource, source);
  if (problem !== undefined) return `The source of the redirect ${problem}.`;
  return page === undefined ? `The redirect points to ${path}, which is not a page of the space.` : undefined;
}

const hasTarget = ({ destination, draft }: SiteRedirect, siteSpaceId: string, pageId: string): boolean =>
  !draft &&
  destination.kind === 'site-page' &&
  destination.siteSpaceId === siteSpaceId &&
  destination.pageId === pageId;

type Site = Omit<Published, 'space'>;

async function getSiteSpace(api: Api, params: Site, spaceId: string): Promise<string> {
  const shown = await collect(paginate((page) => api.listSiteSpaces({ params, query: { limit: '200', page } })));
  const found = shown.find(({ space }) => space.id === spaceId);
  if (found === undefined) throw new Failure(`The site ${params.siteId} does not publish the space ${spaceId}.`);
  return found.id;
}

/** Returns the redirects of a site by source, including drafts. */
async function presentRedirects(api: Api, params: Site): Promise<Map<string, SiteRedirect>> {
  const all = await collect(paginate((page) => api.listSiteRedirects({ params, query: { limit: '1000', page } })));
  return new Map(all.map((redirect) => [toStoredSource(redirect.source).source, redirect]));
}
