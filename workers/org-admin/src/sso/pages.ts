import type { Database, Parameter } from '@octavo/db';
import {
  abortUnless,
  checkCondition,
  commit,
  computed,
  fromJson,
  fromQuery,
  hashToken,
  organizations,
  prepareQuery,
  readRow,
  retryOnConflict,
  samlProviders,
  samlRequests,
  selection,
  tokens,
} from '@octavo/db';
import type { PageContext, ServedPage } from '@octavo/runtime';
import { createHtmlPage, html, log, readForm, sendEvents } from '@octavo/runtime';
import type { OrganizationId, SignInProfile, UserId } from '@octavo/schema';
import { createRandomString, forbidden, formatTimestamp, invalid } from '@octavo/schema';
import { aliasedTable, and, eq, gt, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { createToken } from '../tokens/queries.ts';
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
 * because that is when it is needed.
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
 * Redirects the browser to the identity provider. Accepts no parameters, so that a link to this page cannot choose
 * where the sign-in ends.
 */
async function start(request: Request, context: PageContext<OrgAdminEnvironment>): Promise<Response> {
  const { db, env, urls, params } = context;
  const [parameter] = new URL(request.url).searchParams.keys();
  if (parameter !== undefined) {
    throw invalid([{ path: `query.${parameter.slice(0, 50)}`, message: 'is not a known parameter' }]);
  }
  const provider = await findActiveProvider(db, params.providerId);
  const id = `_${createRandomString(requestIdLength)}`;
  const cookie = createRandomString(cookieLength);
  const now = Date.now();
  const row = { id, provider: provider.id, browser: await hashToken(cookie), expiresAt: now + signInSeconds * 1000 };
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
    headers: { location, 'set-cookie': setCookie(cookie, env.OCTAVO_PUBLIC_URL), 'cache-control': 'no-store' },
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

/** Checked before the response is verified, so that requests without a sign-in cause no work. */
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
const setCookie = (value: string, publicUrl: string): string =>
  `${name}=${value}; ${getCookieAttributes(publicUrl.startsWith('https:'))}; Max-Age=${signInSeconds}`;

const clearCookie = (publicUrl: string): string =>
  `${name}=; ${getCookieAttributes(publicUrl.startsWith('https:'))}; Max-Age=0`;

/** Returns the hash of the cookie of the browser; undefined without a cookie. */
async function getBrowser(request: Request): Promise<string | undefined> {
  const value = /(?:^|;\s*)octavo_sso=([\w-]{1,128})(?:;|$)/.exec(request.headers.get('cookie') ?? '')?.[1];
  return value === undefined ? undefined : hashToken(value);
}

const sessionMilliseconds = 12 * 60 * 60_000;
const maxSessions = 20;
const sessionLabel = 'SSO session';

/** Completes a sign-in in the browser that started it, and shows the session token once. */
async function finish(request: Request, context: PageContext<OrgAdminEnvironment>): Promise<Response> {
  const { db, env, background, params } = context;
  const code = new URL(request.url).searchParams.get('code');
  const browser = await getBrowser(request);
  if (code === null || browser === undefined) throw createExpiredError();
  const underWay = { code: await hashToken(code), browser, provider: params.providerId ?? '' };
  const session = await retryOnConflict(async () => {
    const { id, title, signIn } = await findSignIn(db, underWay);
    const { user, writes, events } = await getAccount(db, signIn);
    const { organization } = signIn;
    const expiresAt = Math.min(
      Date.now() + sessionMilliseconds,
      signIn.profile.sessionEndsAt ?? Number.MAX_SAFE_INTEGER,
    );
    const { token, row } = await createToken({ user, label: sessionLabel, organization, expiresAt });
    const { messages } = await commit(
      db,
      context.toCaller(user),
      [
        abortUnless(db, sql`EXISTS (SELECT 1 FROM saml_requests WHERE id = ${id})`),
        db.delete(samlRequests).where(sql`id = ${id}`),
        ...writes,
        ...endOldSessions(db, user, organization),
        db.insert(tokens).values(row),
      ],
      events,
    );
    sendEvents(env, background, messages);
    return { token, organization, title, expiresAt };
  });
  return presentSession(session, request, context);
}

interface UnderWay {
  code: string;
  browser: string;
  provider: string;
}

const [r, p] = [aliasedTable(samlRequests, 'r'), aliasedTable(samlProviders, 'p')];
const o = aliasedTable(organizations, 'o');
const signInUnderWay = prepareQuery(
  selection({
    id: r.id,
    profile: computed(fromJson<SignInProfile>(), sql`r.profile`),
    organization: p.organization,
    defaultRole: p.defaultRole,
    defaultTeam: p.defaultTeam,
    title: o.title,
  }),
  (select, code: Parameter<string>, browser: Parameter<string>, provider: Parameter<string>, now: Parameter<number>) =>
    select
      .from(r)
      .crossJoin(p)
      .crossJoin(o)
      .where(
        and(
          eq(r.code, code),
          eq(r.browser, browser),
          eq(r.provider, provider),
          gt(r.expiresAt, now),
          eq(p.id, r.provider),
          eq(o.id, p.organization),
        ),
      ),
);

async function findSignIn(db: Database, { code, browser, provider }: UnderWay) {
  const signIn = await readRow(db, signInUnderWay(code, browser, provider, Date.now()));
  if (signIn === undefined) throw createExpiredError();
  const { id, title, ...signInRecord } = signIn;
  return { id, title, signIn: { provider, ...signInRecord } };
}

/** Deletes expired tokens and the oldest sessions above the limit of a member. */
const endOldSessions = (db: Database, user: UserId, organization: OrganizationId) => [
  db.delete(tokens).where(sql`user = ${user} AND expires_at <= ${Date.now()}`),
  db.delete(tokens).where(sql`id IN (
    SELECT t.id FROM tokens t WHERE t.user = ${user} AND t.organization = ${organization} AND t.label = ${sessionLabel} AND t.expires_at IS NOT NULL
    ORDER BY t.created_at DESC, t.id DESC LIMIT -1 OFFSET ${sql.raw(String(maxSessions - 1))})`),
];

interface Session {
  token: string;
  organization: OrganizationId;
  title: string;
  expiresAt: number;
}

/** Shows the token of a new session as a page, or as JSON if the client prefers that. */
function presentSession(
  { token, organization, title, expiresAt }: Session,
  request: Request,
  { env, urls }: PageContext<OrgAdminEnvironment>,
): Response {
  const wantsJson = request.headers.get('accept')?.split(',')[0]?.split(';')[0]?.trim() === 'application/json';
  const response = wantsJson
    ? Response.json(
        { token, organization, expiresAt: formatTimestamp(expiresAt) },
        { headers: { 'cache-control': 'no-store' } },
      )
    : createHtmlPage({
        title: `Signed in to ${title}`,
        body: html`<p>This is your API token for this organization. It expires at ${formatTimestamp(expiresAt).slice(0, 16).replace('T', ' ')} UTC. Copy it now, because it is not shown again:</p>
<p><code id="token">${token}</code></p>
<p>For example:</p>
<p><code>curl -H 'Authorization: Bearer ${token}' ${urls.location(`/orgs/${organization}`)}</code></p>`,
      });
  response.headers.append('set-cookie', clearCookie(env.OCTAVO_PUBLIC_URL));
  return response;
}
