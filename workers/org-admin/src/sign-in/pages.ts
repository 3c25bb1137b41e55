import type { Page, PageContext } from '@octavo/runtime';
import { html, htmlPage } from '@octavo/runtime';
import { forbidden } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { getSignInLink, useSignInLink } from './sign-in-link.ts';

type Context = PageContext<OrgAdminEnvironment>;

/** Mail programs open links by themselves, so opening one uses nothing up: the button does. */
async function ask(_: Request, { db, params }: Context): Promise<Response> {
  const { email, title } = await getSignInLink(db, params.secret ?? '');
  return htmlPage({
    title: 'Sign in to Octavo',
    body: html`<p>You were invited to <strong>${title}</strong>, and sign in as <strong>${email}</strong>.</p>
<form method="post"><button>Sign in</button></form>
<p>This link works once. If it was not you who asked to come here, close this page.</p>`,
  });
}

async function signIn(request: Request, { db, params, urls, requestId }: Context): Promise<Response> {
  requireOwnPage(request, urls.page('/'));
  const link = await getSignInLink(db, params.secret ?? '');
  const token = await useSignInLink(db, link, requestId);
  const header = `-H 'Authorization: Bearer ${token}'`;
  return htmlPage({
    title: 'You are signed in',
    body: html`<p>You are <strong>${link.email}</strong>. This is your token for the next 12 hours; it is shown only now:</p>
<p><code>${token}</code></p>
<p>Try it:</p>
<p><code>curl ${header} ${urls.location('/user')}</code></p>
<p>For a token that lasts, ask for one with it:</p>
<p><code>curl ${header} -H 'Content-Type: application/json' -d '{"label": "My token"}' ${urls.location('/user/tokens')}</code></p>
<p><a href="/reference">API reference</a></p>`,
  });
}

/** Without a referrer, browsers name no origin to their own site either, but they say that it is the same. */
function requireOwnPage({ headers }: Request, home: string): void {
  const origin = headers.get('origin');
  const isOwn = origin === null || origin === new URL(home).origin;
  if (!isOwn && !(origin === 'null' && headers.get('sec-fetch-site') === 'same-origin')) {
    throw forbidden('This was sent from a page of another site.');
  }
}

export const signInPages: Page<OrgAdminEnvironment>[] = [
  { method: 'GET', path: '/sign-in/:secret', handler: ask },
  { method: 'POST', path: '/sign-in/:secret', handler: signIn },
];
