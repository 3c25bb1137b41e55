import { conformingClaims } from '@octavo/expression';
import type { Claims, ShareLinkId } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { shareKeyHash } from '../keys/site-keys.ts';
import type { OpenSite } from './find-site.ts';
import type { PreviewPass } from './preview-pass.ts';
import { readSignedClaims } from './visitor-claims.ts';

/** What a visitor brings to an address. */
export interface Brought {
  jwt: string | undefined;
  preview: PreviewPass | undefined;
  unsigned: Claims;
  /** The segments of the path behind the site's own. */
  segments: string[];
  redirectOnError: boolean;
}

/** A visitor who is let in, with what is left of the path behind a share key. */
export interface Admitted {
  claims: Claims;
  shareKey?: string;
  shareLink?: ShareLinkId;
  segments: string[];
}

/** Where a visitor has to go first: `signIn` to where the site lets visitors be vouched for. */
type Admission = Admitted | 'signIn' | undefined;

/** Whom the site's audience lets in; undefined where there is nothing for this visitor. */
export async function admitVisitor(env: PublishingEnvironment, found: OpenSite, brought: Brought): Promise<Admission> {
  const { site } = found;
  const { jwt, preview, segments, unsigned } = brought;
  const signed = jwt === undefined ? undefined : await readSignedClaims(env, site, jwt);
  const claims = conformingClaims(found.jsonSchema ?? undefined, { signed: signed ?? {}, unsigned });
  if (claims === undefined) return undefined;
  if (preview !== undefined) {
    const isOfSite = preview.site === site.id && preview.organization === site.organization;
    return isOfSite ? { claims, segments } : undefined;
  }
  if (!site.published) return undefined;
  if (site.visibility === 'share-link') return byShareKey(found, segments, claims);
  if (site.visibility !== 'visitor-auth' || signed !== undefined) return { claims, segments };
  return site.authFallback !== null && (jwt === undefined || brought.redirectOnError) ? 'signIn' : undefined;
}

async function byShareKey({ links }: OpenSite, segments: string[], claims: Claims): Promise<Admission> {
  const [key, ...rest] = segments;
  if (key === undefined) return undefined;
  const hash = await shareKeyHash(key);
  const link = links.find(({ keyHash }) => keyHash === hash);
  return link === undefined ? undefined : { claims, shareKey: key, shareLink: link.id, segments: rest };
}
