import { capturedBy } from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import { placeAddress, siteAddress } from '@octavo/runtime';
import type { Claims, PageReading, ResolvedPage, SiteRedirect } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { FoundSite } from '../resolution/find-site.ts';
import type { MadeRedirect } from './applying-redirects.ts';

/** A path of a site that somebody asks for. */
export interface AskedRedirect {
  source: string;
  /** Of a visitor; null for a member, for whom no conditions count. */
  claims: Claims | null;
  found: Pick<FoundSite, 'site' | 'redirects'>;
  shareKey: string | undefined;
  env: PublishingEnvironment;
}

/** The pages to which the redirects of a site lead, as they are looked up, with those that lead to none. */
export const readingsOf = (
  { redirects }: Pick<FoundSite, 'redirects'>,
  claims: Claims | null,
): (PageReading | null)[] =>
  redirects.map(({ destination, siteSpace }) =>
    destination.kind === 'site-page' && siteSpace !== null
      ? { space: siteSpace.space, path: '', page: destination.pageId, claims }
      : null,
  );

interface Led {
  redirect: SiteRedirect;
  target: string;
}

/**
 * Where the first of the redirects leads that leads to what is there and shown; undefined where none does. `pages` are
 * those of `readingsOf`.
 */
export function firstOf(pages: (ResolvedPage | null)[], asked: AskedRedirect): Led | undefined {
  for (const [index, made] of asked.found.redirects.entries()) {
    const target = targetOf(made, pages[index] ?? null, asked);
    const whole = target && below(target, capturedBy(made, asked.source));
    if (whole !== undefined) return { redirect: presentMade(made), target: whole };
  }
  return undefined;
}

const presentMade = (made: MadeRedirect): SiteRedirect => {
  const { source, wildcard, draft, captureWildcard, permanent, destination, createdAt, updatedAt, id } = made;
  return {
    ...{ object: 'site-redirect', id, source: wildcard ? `${source}/*` : source },
    ...{ draft, captureWildcard, permanent, destination, createdAt: timestamp(createdAt) },
    ...(updatedAt === createdAt ? {} : { updatedAt: timestamp(updatedAt) }),
  };
};

/** What leads out of the place that it is put behind, now or where somebody decodes it once more. */
const leavesItsPlace = (captured: string): boolean =>
  /(?:^|[/\\])\.{1,2}(?:[/\\]|$)|\\/.test(
    captured.replace(/%(?:25)*(2e|2f|5c)/gi, (_, code) => decodeURIComponent(`%${code}`)),
  );

/** An address with more put behind its path; undefined where that would lead elsewhere. */
function below(target: string, captured: string): string | undefined {
  if (captured === '') return target;
  if (leavesItsPlace(captured)) return undefined;
  const url = new URL(target);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${captured}`;
  return url.href;
}

function targetOf(
  { destination, siteSpace, section }: MadeRedirect,
  page: ResolvedPage | null,
  { claims, found: { site }, shareKey, env }: AskedRedirect,
): string | undefined {
  if (destination.kind === 'external') return new URL(destination.url).href;
  if (siteSpace === null) return undefined;
  const conditions = claims === null ? [] : [siteSpace.condition, section?.condition];
  const isShown = conditions.every((condition) => isShownTo(condition, claims ?? {}));
  if (!isShown || (destination.kind === 'site-page' && page === null)) return undefined;
  const at = { shareKey, section: section ?? undefined, siteSpace };
  return placeAddress(siteAddress(env, site), { ...at, page: page?.path });
}
