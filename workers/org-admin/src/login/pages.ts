import type { Database } from '@octavo/db';
import {
  commit,
  commitChecked,
  findCaller,
  fromQuery,
  hashToken,
  organizations,
  readRows,
  samlProviders,
  selection,
} from '@octavo/db';
import type { PageContext, ServedPage } from '@octavo/runtime';
import { clearSessionCookie, createHtmlPage, html, joinHtml, readForm, readSessionCookie } from '@octavo/runtime';
import { ApiError, EmailAddress, forbidden } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { createSession, endSession, requireSameOrigin, respondWithSession } from '../sessions/start-session.ts';
import { isConfigured } from '../sso/queries.ts';
import { createDestinationQuery, findDestination, readDestination } from './destination.ts';
import { requestLoginLink } from './login-links.ts';

type Context = PageContext<OrgAdminEnvironment>;

const maxFormBytes = 8 * 1024;

/** With this policy, browsers send the origin of the page but not its path. Without it, they send `Origin: null`. */
const formPolicy = html`<meta name="referrer" content="origin">`;

interface LoginForm {
  destination: string;
  email?: string;
  error?: string;
}

const ssoHelp = html`<details>
<summary>Sign in with SSO</summary>
<p>Open the SSO sign-in URL of your organization. Ask an admin of the organization for it.</p>
</details>`;

/** Returns the form with the providers of the only organization. With several organizations, it names none of them. */
async function createLoginPage(db: Database, form: LoginForm, status = 200): Promise<Response> {
  const { destination, email = '', error } = form;
  const providers = await findProvidersOfOnlyOrganization(db);
  const links = providers.map(
    ({ id, title }) =>
      html`<p><a href="/sso/saml/${id}/start${createDestinationQuery(destination)}">Continue with the SSO of ${title}</a></p>`,
  );
  const to = html`<input type="hidden" name="to" value="${destination}">`;
  return createHtmlPage({
    title: 'Sign in to Octavo',
    status,
    body: html`${formPolicy}
${error === undefined ? '' : html`<p role="alert"><strong>${error}</strong></p>`}
<form method="post" action="/login">${to}
<label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="username" maxlength="254" value="${email}" required autofocus>
<button>Continue</button>
</form>
${links.length === 0 ? ssoHelp : joinHtml(links)}
<details>
<summary>Sign in with an API token</summary>
<form method="post" action="/login/token">${to}
<label for="token">API token</label>
<input id="token" name="token" type="password" autocomplete="off" maxlength="256" required>
<button>Sign in</button>
</form>
</details>`,
  });
}

const serveLoginPage = (request: Request, { db }: Context): Promise<Response> =>
  createLoginPage(db, { destination: findDestination(new URL(request.url).searchParams.get('to')) });

/**
 * Requests the mail. The response depends only on the address itself and never on whether a user has it. It offers no
 * SSO of organizations with the domain of the address, because anyone can add any domain to an organization.
 */
async function requestLink(request: Request, context: Context): Promise<Response> {
  requireSameOrigin(request, context.env);
  const { email: typed = '', to } = await readForm(request, maxFormBytes);
  const destination = readDestination(to, 'body.to');
  const email = EmailAddress.safeParse(typed.trim().toLowerCase()).data;
  if (email === undefined)
    return createLoginPage(context.db, { destination, email: typed, error: 'Enter a complete email address.' }, 400);
  await requestLoginLink(context, { email, destination });
  return createHtmlPage({
    title: 'Check your mail',
    body: html`<p>If there is an account for <strong>${email}</strong>, it gets a mail with a link that signs you in. The link works for 15 minutes.</p>
<p>If you sign in with SSO, the mail has the link to it.</p>
<p><a href="/login${createDestinationQuery(destination)}">Use another address</a></p>`,
  });
}

const providerRow = selection({ id: fromQuery(samlProviders.id), title: fromQuery(organizations.title) });
const maxOffered = 5;

/** Returns the active providers if the installation has exactly one organization. */
const findProvidersOfOnlyOrganization = (db: Database) =>
  readRows(
    db,
    providerRow.query(sql`
      SELECT p.id, o.title FROM organizations o CROSS JOIN saml_providers p ON p.organization = o.id AND ${isConfigured}
      WHERE (SELECT COUNT(*) FROM (SELECT 1 FROM organizations LIMIT 2)) = 1 ORDER BY p.created_at LIMIT ${maxOffered}`),
  );

/** Starts a session with an API token. It has the limits of the token, and ends with it. */
async function signInWithToken(request: Request, context: Context): Promise<Response> {
  requireSameOrigin(request, context.env);
  const { db, toCaller: getCaller } = context;
  const { token: typed = '', to } = await readForm(request, maxFormBytes);
  const destination = readDestination(to, 'body.to');
  const caller = await findCaller(db, await hashToken(typed.trim()));
  if (caller === undefined || caller.integration !== null)
    return createLoginPage(db, { destination, error: 'This token is unknown, expired or revoked.' }, 401);
  const { id: user, organization, scopes, token: parent } = caller;
  const endsAt = caller.expiresAt ?? undefined;
  const session = await createSession(request, context, { user, organization, scopes, parent, endsAt });
  const { writes, ...started } = session;
  // The secret of a session is no API token.
  const tokenCheck = {
    condition: sql`EXISTS (SELECT 1 FROM tokens WHERE id = ${parent} AND session IS NULL)`,
    createError: () => new ApiError('unauthenticated', 'This token has been revoked, or belongs to a session.'),
  };
  const bound = organization === null ? {} : { organization };
  await commitChecked(db, [tokenCheck], (guards) =>
    commit(
      db,
      getCaller(user),
      [...guards, ...writes],
      [{ type: 'token.created', ...bound, data: { token: started.id } }],
    ),
  );
  return respondWithSession(request, context, { ...started, destination });
}

const serveLogoutPage = (): Response =>
  createHtmlPage({
    title: 'Sign out of Octavo',
    body: html`${formPolicy}
<p>This ends the session of this browser.</p>
<form method="post"><button>Sign out</button></form>`,
  });

/** Ends the session of the browser. The form must be sent by a page of this server. */
async function signOut(request: Request, { db, env, toCaller: getCaller }: Context): Promise<Response> {
  if (request.headers.get('origin') === null) throw forbidden('Sign out from a page of the app.');
  requireSameOrigin(request, env);
  const cookie = readSessionCookie(request, env);
  if (cookie !== undefined) await commit(db, getCaller(''), [endSession(db, await hashToken(cookie.token))], []);
  const headers = { location: '/login', 'set-cookie': clearSessionCookie(env), 'cache-control': 'no-store' };
  return new Response(null, { status: 303, headers });
}

export const loginPages: ServedPage<OrgAdminEnvironment>[] = [
  { method: 'GET', path: '/login', handler: serveLoginPage },
  { method: 'POST', path: '/login', handler: requestLink },
  { method: 'POST', path: '/login/token', handler: signInWithToken },
  { method: 'GET', path: '/logout', handler: serveLogoutPage },
  { method: 'POST', path: '/logout', handler: signOut },
];
