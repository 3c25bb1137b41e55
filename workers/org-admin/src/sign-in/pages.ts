import type { PageContext, ServedPage } from '@octavo/runtime';
import { createHtmlPage, html } from '@octavo/runtime';
import { forbidden } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { getSignInLink, useSignInLink } from './sign-in-link.ts';

type Context = PageContext<OrgAdminEnvironment>;

/**
 * Opening the link does not use it up, because mail programs open links by themselves; only the button does. The
 * referrer policy sends the origin but not the path. With `no-referrer`, browsers send `Origin: null` even to the same
 * site.
 */
async function serveForm(_: Request, { db, params }: Context): Promise<Response> {
  const { email, title } = await getSignInLink(db, params.secret ?? '');
  return createHtmlPage({
    title: 'Sign in to Octavo',
    body: html`<meta name="referrer" content="origin">
<p>You were invited to <strong>${title}</strong>. Sign in as <strong>${email}</strong>.</p>
<form method="post"><button>Sign in</button></form>
<p>You can use this link once. If you did not expect this invitation, close this page.</p>`,
  });
}

async function signIn(request: Request, { db, params, urls, toCaller: callerOf }: Context): Promise<Response> {
  requireOwnPage(request, urls.page('/'));
  const link = await getSignInLink(db, params.secret ?? '');
  const token = await useSignInLink(db, link, callerOf(link.user));
  const header = `-H 'Authorization: Bearer ${token}'`;
  return createHtmlPage({
    title: 'You are signed in',
    body: html`<p>You are signed in as <strong>${link.email}</strong>. This is your API token. It expires in 12 hours. Copy it now, because it is not shown again:</p>
<p><code style="display: block">${token}</code></p>
<p>Try it:</p>
<p><code style="display: block">curl ${header} ${urls.location('/user')}</code></p>
<p>To create a token that does not expire:</p>
<p><code style="display: block">curl ${header} -H 'Content-Type: application/json' -d '{"label": "My token"}' ${urls.location('/user/tokens')}</code></p>
<p><a href="/reference">API reference</a></p>`,
  });
}

function requireOwnPage(request: Request, home: string): void {
  const origin = request.headers.get('origin');
  if (origin !== null && origin !== new URL(home).origin) {
    throw forbidden('The form was sent from another site. Open the sign-in link again.');
  }
}

export const signInPages: ServedPage<OrgAdminEnvironment>[] = [
  { method: 'GET', path: '/sign-in/:secret', handler: serveForm },
  { method: 'POST', path: '/sign-in/:secret', handler: signIn },
];
