import type { Database, Parameter } from '@octavo/db';
import {
  abortUnless,
  checkCondition,
  commit,
  computed,
  fromJson,
  fromQuery,
  hashToken,
  prepareQuery,
  readRow,
  retryOnConflict,
  samlProviders,
  samlRequests,
  selection,
} from '@octavo/db';
import type { PageContext, ServedPage } from '@octavo/runtime';
import { log, readForm, sendEvents } from '@octavo/runtime';
import type { SignInProfile } from '@octavo/schema';
import { createRandomString, forbidden, invalid } from '@octavo/schema';
import { aliasedTable, and, eq, gt, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { readDestination } from '../login/destination.ts';
import { createSession, respondWithSession } from '../sessions/start-session.ts';
import { getAccount } from './account.ts';
import { findActiveProvider, findProvider, getService } from './queries.ts';
import { Refusal } from './response-shape.ts';
import { createRequestUrl, getMetadata } from './saml-library.ts';
import { verifyResponse } from './verify-response.ts';
import { XmlFault } from './xml.ts';

export const ssoPages: ServedPage<OrgAdminEnvironment>[] = [
  { method: 'GET', path: '/sso/saml/:providerId/metadata', handler: serveMetadata },
  { method: 'GET', path: '/sso/saml/:providerId/start', handler: start },
  { method: 'POST', path: '/sso/saml/:providerId/acs', handler: consumeAssertion },
  { method: 'GET', path: '/sso/saml/:providerId/finish', handler: finish },
];

/**
 * Serves the metadata that an identity provider is configured with. Also available while our provider is pending,
 * because an admin needs the metadata to complete its settings.
 */
async function serveMetadata(_: Request, { db, urls, params }: PageContext<OrgAdminEnvironment>): Promise<Response> {
  const provider = await findProvider(db, params.providerId);
  return new Response(await getMetadata(getService(urls, provider.id)), {
    headers: { 'content-type': 'application/samlmetadata+xml; charset=utf-8', 'cache-control': 'no-store' },
  });
}

const requestIdLength = 32;
const cookieLength = 43;

/**
 * Redirects the browser to the identity provider. The only parameter is `to`, a path in the app, so that a link to this
 * page cannot redirect the user to another site after the sign-in.
 */
async function start(request: Request, context: PageContext<OrgAdminEnvironment>): Promise<Response> {
  const { db, env, urls, params } = context;
  const { searchParams } = new URL(request.url);
  const unknown = [...searchParams.keys()].find((parameter) => parameter !== 'to');
  if (unknown !== undefined) {
    throw invalid([{ path: `query.${unknown.slice(0, 50)}`, message: 'is not a known parameter' }]);
  }
  const destination = searchParams.has('to') ? readDestination(searchParams.get('to'), 'query.to') : null;
  const provider = await findActiveProvider(db, params.providerId);
  const id = `_${createRandomString(requestIdLength)}`;
  const cookie = createRandomString(cookieLength);
  const now = Date.now();
  const row = {
    id,
    provider: provider.id,
    browser: await hashToken(cookie),
    expiresAt: now + signInSeconds * 1000,
    destination,
  };
  await commit(
    db,
    context.toCaller(''),
    [
      db.delete(samlRequests).where(sql`provider = ${provider.id} AND expires_at <= ${now}`),
      db.insert(samlRequests).values(row),
    ],
    [],
  );
  const location = await createRequestUrl({ provider, service: getService(urls, provider.id) }, id);
  return new Response(null, {
    status: 302,
    headers: { location, 'set-cookie': createSignInCookie(cookie, env.OCTAVO_PUBLIC_URL), 'cache-control': 'no-store' },
  });
}

const maxBodyBytes = 512 * 1024;
const codeLength = 43;

const createExpiredError = () =>
  forbidden('This sign-in was already completed, has expired, or was started in another browser. Start again.');

/**
 * Receives the response of the identity provider. This is a cross-site request, so the browser does not send the
 * cookie; the finish page checks it.
 */
async function consumeAssertion(request: Request, context: PageContext<OrgAdminEnvironment>): Promise<Response> {
  const { db, urls, params, requestId } = context;
  const { SAMLResponse: response, RelayState: id } = await readForm(request, maxBodyBytes);
  if (response === undefined) throw invalid([{ path: 'body.SAMLResponse', message: 'is required' }]);
  if (id === undefined) throw invalid([{ path: 'body.RelayState', message: 'is required' }]);
  const provider = await findActiveProvider(db, params.providerId);
  await requireOpen(db, provider.id, id);
  const service = getService(urls, provider.id);
  const expected = { issuer: provider.entityID, service, request: id };
  const profile = await verifyResponse(response, provider, expected).catch((error: unknown) => {
    throw getRefusal(error, { requestId, provider: provider.id });
  });
  const code = createRandomString(codeLength);
  const update = db
    .update(samlRequests)
    .set({ code: await hashToken(code), profile })
    .where(isOpen(provider.id, id))
    .returning({ id: samlRequests.id });
  const { rows } = await commit(db, context.toCaller(''), takenRow.query(update), []);
  if (rows.length === 0) throw createExpiredError();
  const location = urls.page(`/sso/saml/${provider.id}/finish?code=${code}`);
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
}

const takenRow = selection({ id: fromQuery(samlRequests.id) });

const isOpen = (provider: string, id: string) =>
  sql`id = ${id} AND provider = ${provider} AND code IS NULL AND expires_at > ${Date.now()}`;

/** This is checked before the response is verified, so that requests without a pending sign-in cause no work. */
async function requireOpen(db: Database, provider: string, id: string): Promise<void> {
  if (!(await checkCondition(db, sql`EXISTS (SELECT 1 FROM saml_requests WHERE ${isOpen(provider, id)})`)))
    throw createExpiredError();
}

function getRefusal(error: unknown, context: { requestId: string; provider: string }): unknown {
  if (error instanceof XmlFault) return invalid([{ path: 'body.SAMLResponse', message: error.message }]);
  if (!(error instanceof Refusal)) return error;
  log('info', 'sign-in refused', { ...context, reason: error.message, cause: error.cause });
  return forbidden(`The sign-in was refused. ${error.message}`);
}

const name = 'octavo_sso';
const signInSeconds = 600;

const getCookieAttributes = (isSecure: boolean) => `HttpOnly; SameSite=Lax; Path=/sso/${isSecure ? '; Secure' : ''}`;

/** Returns the cookie that binds a sign-in to the browser that started it. */
const createSignInCookie = (value: string, publicUrl: string): string =>
  `${name}=${value}; ${getCookieAttributes(publicUrl.startsWith('https:'))}; Max-Age=${signInSeconds}`;

const createExpiredCookie = (publicUrl: string): string =>
  `${name}=; ${getCookieAttributes(publicUrl.startsWith('https:'))}; Max-Age=0`;

/** Returns the hash of the cookie of the browser; undefined without a cookie. */
async function getBrowser(request: Request): Promise<string | undefined> {
  const value = /(?:^|;\s*)octavo_sso=([\w-]{1,128})(?:;|$)/.exec(request.headers.get('cookie') ?? '')?.[1];
  return value === undefined ? undefined : hashToken(value);
}

const sessionMilliseconds = 12 * 60 * 60_000;

/** Completes a sign-in in the browser that started it, and starts a session that is bound to the organization. */
async function finish(request: Request, context: PageContext<OrgAdminEnvironment>): Promise<Response> {
  const { db, env, background, params } = context;
  const code = new URL(request.url).searchParams.get('code');
  const browser = await getBrowser(request);
  if (code === null || browser === undefined) throw createExpiredError();
  const underWay = { code: await hashToken(code), browser, provider: params.providerId ?? '' };
  const session = await retryOnConflict(async () => {
    const { id, destination, signIn } = await findSignIn(db, underWay);
    const { user, writes, events } = await getAccount(db, signIn);
    const { organization } = signIn;
    const endsAt = Math.min(Date.now() + sessionMilliseconds, signIn.profile.sessionEndsAt ?? Number.MAX_SAFE_INTEGER);
    const { writes: sessionWrites, ...session } = await createSession(request, context, { user, organization, endsAt });
    const { messages } = await commit(
      db,
      context.toCaller(user),
      [
        abortUnless(db, sql`EXISTS (SELECT 1 FROM saml_requests WHERE id = ${id})`),
        db.delete(samlRequests).where(sql`id = ${id}`),
        ...writes,
        ...sessionWrites,
      ],
      events,
    );
    sendEvents(env, background, messages);
    return { ...session, organization, destination: destination ?? `/app/orgs/${organization}` };
  });
  const response = respondWithSession(request, context, session);
  response.headers.append('set-cookie', createExpiredCookie(env.OCTAVO_PUBLIC_URL));
  return response;
}

interface PendingLogin {
  code: string;
  browser: string;
  provider: string;
}

const [r, p] = [aliasedTable(samlRequests, 'r'), aliasedTable(samlProviders, 'p')];
const signInUnderWay = prepareQuery(
  selection({
    id: r.id,
    profile: computed(fromJson<SignInProfile>(), sql`r.profile`),
    organization: p.organization,
    defaultRole: p.defaultRole,
    defaultTeam: p.defaultTeam,
    destination: r.destination,
  }),
  (select, code: Parameter<string>, browser: Parameter<string>, provider: Parameter<string>, now: Parameter<number>) =>
    select
      .from(r)
      .crossJoin(p)
      .where(
        and(
          eq(r.code, code),
          eq(r.browser, browser),
          eq(r.provider, provider),
          gt(r.expiresAt, now),
          eq(p.id, r.provider),
        ),
      ),
);

async function findSignIn(db: Database, { code, browser, provider }: PendingLogin) {
  const signIn = await readRow(db, signInUnderWay(code, browser, provider, Date.now()));
  if (signIn === undefined) throw createExpiredError();
  const { id, destination, ...signInRecord } = signIn;
  return { id, destination, signIn: { provider, ...signInRecord } };
}
