import type { PageContext } from '@octavo/runtime';
import { notFound } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { findProvider } from './provider-record.ts';
import { metadataOf } from './saml-library.ts';
import { serviceOf } from './service-urls.ts';

/** What an identity provider is set up with; it is there while ours is pending, for that is when it is needed. */
export async function metadata(_: Request, { db, urls, params }: PageContext<OrgAdminEnvironment>): Promise<Response> {
  const provider = await findProvider(db, params.providerId ?? '');
  if (provider === undefined) throw notFound('SSO provider');
  return new Response(await metadataOf(serviceOf(urls, provider.id)), {
    headers: { 'content-type': 'application/samlmetadata+xml; charset=utf-8', 'cache-control': 'no-store' },
  });
}
