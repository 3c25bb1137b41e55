import samlp from 'samlp';
import type { Identity } from './certificate.ts';
import { serveLocally } from './local-server.ts';

export interface Person {
  id: string;
  email: string;
  displayName: string;
}

interface Options {
  issuer: string;
  identity: Identity;
  person: Person;
  /** The URL to which the provider posts its response. The provider ignores the URL in the sign-in request. */
  acsUrl(): string;
}

const createPage = (query: string, name: string) => `<!doctype html><title>Identity provider</title>
<h1>Identity provider</h1><form action="/confirm">${[...new URLSearchParams(query)]
  .map(([field, value]) => `<input type="hidden" name="${field}" value="${value.replace(/["&<]/g, '')}">`)
  .join('')}<button>Continue as ${name}</button></form>`;

/** Serves a real SAML identity provider with one user on loopback. Returns its sign-in URL. */
export async function serveIdentityProvider({ issuer, identity, person, acsUrl }: Options): Promise<string> {
  const createResponder = (address: string) =>
    samlp.auth({
      issuer,
      cert: identity.certificate,
      key: identity.privateKey,
      destination: address,
      recipient: address,
      getPostURL: (_audience, _request, _message, give) => give(null, address),
      getUserFromRequest: () => ({
        id: person.id,
        emails: [{ value: person.email }],
        displayName: person.displayName,
        name: { givenName: person.displayName, familyName: '' },
      }),
    });
  const origin = await serveLocally((request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://idp.test');
    const send = (body: string) => void response.end(body);
    response.setHeader('content-type', 'text/html');
    if (pathname !== '/confirm') return send(createPage(search, person.displayName));
    const set = (name: string, value: string) => void response.setHeader(name, value);
    createResponder(acsUrl())(
      Object.assign(request, { query: Object.fromEntries(searchParams) }),
      Object.assign(response, { set, send }),
      (error) => send(String(error)),
    );
  });
  return `${origin}/sso`;
}
