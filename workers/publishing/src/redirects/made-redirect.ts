import type { Connection, Database, RedirectRecord } from '@octavo/db';
import { capturedBy } from '@octavo/db';
import { placeAddress, siteAddress } from '@octavo/runtime';
import type { RedirectDestination, SiteRedirect } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { FoundSite } from '../resolution/find-site.ts';
import { findDestination, type RedirectReader } from './find-destination.ts';

/** A path of a site that somebody asks for. */
export interface AskedRedirect {
  source: string;
  reader: RedirectReader;
  found: Pick<FoundSite, 'site' | 'sections' | 'siteSpaces'>;
  shareKey: string | undefined;
  context: { env: PublishingEnvironment; db: Database; absorb: Connection['absorb'] };
}

/** Where the first of these redirects leads that leads to what is there and shown; undefined where none does. */
export async function firstOf([made, ...others]: RedirectRecord[], asked: AskedRedirect): Promise<Led | undefined> {
  return made && ((await ofMade(made, asked)) ?? firstOf(others, asked));
}

interface Led {
  redirect: SiteRedirect;
  target: string;
}

async function ofMade(made: RedirectRecord, asked: AskedRedirect): Promise<Led | undefined> {
  const { source, wildcard, draft, captureWildcard, permanent, destination, createdAt, updatedAt, id } = made;
  const target = await targetOf(destination, asked);
  const redirect: SiteRedirect = {
    ...{ object: 'site-redirect', id, source: wildcard ? `${source}/*` : source },
    ...{ draft, captureWildcard, permanent, destination, createdAt: timestamp(createdAt) },
    ...(updatedAt === createdAt ? {} : { updatedAt: timestamp(updatedAt) }),
  };
  const whole = target && below(target, capturedBy(made, asked.source));
  return whole === undefined ? undefined : { redirect, target: whole };
}

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

async function targetOf(destination: RedirectDestination, { reader, found, shareKey, context }: AskedRedirect) {
  if (destination.kind === 'external') return new URL(destination.url).href;
  const { db, env, absorb } = context;
  const { site } = found;
  const place = await findDestination(db, { site: site.id, destination }, reader);
  if (place === undefined) return undefined;
  const { section, siteSpace } = place;
  const base = siteAddress(env, site);
  const at = { shareKey, section: section ?? undefined, siteSpace };
  if (destination.kind !== 'site-page') return placeAddress(base, at);
  const reading = { space: siteSpace.space, path: '', page: destination.pageId, claims: reader.claims };
  const page = absorb(await env.CONTENT.resolvePage(reading));
  return page === null ? undefined : placeAddress(base, { ...at, page: page.path });
}
