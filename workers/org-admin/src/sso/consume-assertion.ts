import type { Database } from '@octavo/db';
import { commit, given, hashToken, holds, samlRequests, selection } from '@octavo/db';
import type { PageContext } from '@octavo/runtime';
import { log, readForm } from '@octavo/runtime';
import { forbidden, invalid, notFound, randomString } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { findProvider, isActive } from './provider-record.ts';
import { Refusal } from './response-shape.ts';
import { serviceOf } from './service-urls.ts';
import { verifyResponse } from './verify-response.ts';
import { XmlFault } from './xml.ts';

const maxBodyBytes = 512 * 1024;
const codeLength = 43;

export const notUnderWay = () =>
  forbidden(
    'This sign-in is not under way in this browser: it was finished already, or it took too long. Start again.',
  );

/**
 * Takes the identity provider's response. The browser's cookie does not come along with this request, which is one from
 * another site; the next page, which it is sent on to, sees it.
 */
export async function consumeAssertion(request: Request, context: PageContext<OrgAdminEnvironment>): Promise<Response> {
  const { db, urls, params, requestId } = context;
  const { SAMLResponse: response, RelayState: id } = await readForm(request, maxBodyBytes);
  if (response === undefined) throw invalid([{ path: 'body.SAMLResponse', message: 'is missing' }]);
  if (id === undefined) throw invalid([{ path: 'body.RelayState', message: 'is missing' }]);
  const provider = await findProvider(db, params.providerId ?? '');
  if (provider === undefined || !isActive(provider)) throw notFound('SSO provider');
  await requireOpen(db, provider.id, id);
  const service = serviceOf(urls, provider.id);
  const expected = { issuer: provider.entityID, service, request: id };
  const profile = await verifyResponse(response, provider, expected).catch((error: unknown) => {
    throw refusalOf(error, { requestId, provider: provider.id });
  });
  const code = randomString(codeLength);
  const update = takenRow.query(sql`
    UPDATE saml_requests SET code = ${await hashToken(code)}, profile = ${sql.param(profile, samlRequests.profile)}
    WHERE ${isOpen(provider.id, id)} RETURNING id`);
  const { rows } = await commit(db, context.callerOf(''), update, []);
  if (rows.length === 0) throw notUnderWay();
  const location = urls.page(`/sso/saml/${provider.id}/finish?code=${code}`);
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
}

const takenRow = selection({ id: given(samlRequests.id) });

const isOpen = (provider: string, id: string) =>
  sql`id = ${id} AND provider = ${provider} AND code IS NULL AND expires_at > ${Date.now()}`;

/** Before the work of verifying: whoever began no sign-in causes none. */
async function requireOpen(db: Database, provider: string, id: string): Promise<void> {
  if (!(await holds(db, sql`EXISTS (SELECT 1 FROM saml_requests WHERE ${isOpen(provider, id)})`))) throw notUnderWay();
}

function refusalOf(error: unknown, about: { requestId: string; provider: string }): unknown {
  if (error instanceof XmlFault) return invalid([{ path: 'body.SAMLResponse', message: error.message }]);
  if (!(error instanceof Refusal)) return error;
  log('info', 'sign-in refused', { ...about, reason: error.message, cause: error.cause });
  return forbidden(`The sign-in was refused. ${error.message}`);
}
