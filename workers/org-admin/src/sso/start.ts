import { commit, hashToken, samlRequests } from '@octavo/db';
import type { PageContext } from '@octavo/runtime';
import { invalid, notFound, randomString } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { setCookie, signInSeconds } from './browser-cookie.ts';
import { findProvider, isActive } from './provider-record.ts';
import { requestUrl } from './saml-library.ts';
import { serviceOf } from './service-urls.ts';

const requestIdLength = 32;
const cookieLength = 43;

/** Sends the browser to the identity provider. It takes no parameters: there is nowhere else that it would return to. */
export async function start(request: Request, context: PageContext<OrgAdminEnvironment>): Promise<Response> {
  const { db, env, urls, params } = context;
  const [parameter] = new URL(request.url).searchParams.keys();
  if (parameter !== undefined) {
    throw invalid([{ path: `query.${parameter.slice(0, 50)}`, message: 'is not a parameter of this page' }]);
  }
  const provider = await findProvider(db, params.providerId ?? '');
  if (provider === undefined || !isActive(provider)) throw notFound('SSO provider');
  const id = `_${randomString(requestIdLength)}`;
  const cookie = randomString(cookieLength);
  const now = Date.now();
  const row = { id, provider: provider.id, browser: await hashToken(cookie), expiresAt: now + signInSeconds * 1000 };
  await commit(
    db,
    context.callerOf(''),
    [
      db.delete(samlRequests).where(sql`provider = ${provider.id} AND expires_at <= ${now}`),
      db.insert(samlRequests).values(row),
    ],
    [],
  );
  const location = await requestUrl({ provider, service: serviceOf(urls, provider.id) }, id);
  return new Response(null, {
    status: 302,
    headers: { location, 'set-cookie': setCookie(cookie, env.OCTAVO_PUBLIC_URL), 'cache-control': 'no-store' },
  });
}
