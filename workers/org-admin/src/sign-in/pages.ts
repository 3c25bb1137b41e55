import type { PageContext, ServedPage } from '@octavo/runtime';
import { createHtmlPage, html } from '@octavo/runtime';
import { ApiError } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { requireSameOrigin, respondWithSession } from '../sessions/start-session.ts';
import { getSignInLink, useSignInLink } from './sign-in-link.ts';

type Context = PageContext<OrgAdminEnvironment>;

/**
 * Opening the link does not use it up, because mail programs open links by themselves; only the button does. The
 * referrer policy sends the origin but not the path. With `no-referrer`, browsers send `Origin: null` even to the same
 * site.
 */
async function serveForm(_: Request, { db, params }: Context): Promise<Response> {
  const { email, organization } = await getSignInLink(db, params.secret ?? '');
  const invitation = organization === null ? '' : html`You were invited to <strong>${organization.title}</strong>. `;
  return createHtmlPage({
    title: 'Sign in to Octavo',
    body: html`<meta name="referrer" content="origin">
<p>${invitation}Sign in as <strong>${email}</strong>.</p>
<form method="post"><button>Sign in</button></form>
<p>You can use this link once. If you did not expect it, close this page.</p>`,
  });
}

async function signIn(request: Request, context: Context): Promise<Response> {
  requireSameOrigin(request, context.env);
  const link = await getSignInLink(context.db, context.params.secret ?? '');
  const session = await useSignInLink(request, context, link);
  return respondWithSession(request, context, { ...session, destination: link.destination });
}

const createInvalidLinkPage = (): Response =>
  createHtmlPage({
    title: 'This link was already used or has expired',
    status: 404,
    body: html`<p><a href="/login">Sign in to Octavo</a> to get a new link by mail, or ask for a new invitation.</p>`,
  });

type Handler = ServedPage<OrgAdminEnvironment>['handler'];

/** Returns a handler that shows a page if the link is not valid. */
const explainInvalidLink =
  (handler: Handler): Handler =>
  async (request, context) => {
    try {
      return await handler(request, context);
    } catch (error) {
      if (error instanceof ApiError && error.type === 'not_found') return createInvalidLinkPage();
      throw error;
    }
  };

export const signInPages: ServedPage<OrgAdminEnvironment>[] = [
  { method: 'GET', path: '/sign-in/:secret', handler: explainInvalidLink(serveForm) },
  { method: 'POST', path: '/sign-in/:secret', handler: explainInvalidLink(signIn) },
];
