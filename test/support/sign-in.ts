import { inflateRawSync } from 'node:zlib';
import type { Identity } from './certificate.ts';
import { makeIdentity } from './certificate.ts';
import { json } from './content.ts';
import type { Server, TestOrganization } from './platform.ts';
import { platform } from './platform.ts';
import type { Says } from './saml-response.ts';
import { createHonestResponse, createResponse } from './saml-response.ts';

/** An organization with a SAML provider, and the key of the identity provider. */
export interface Sso {
  server: Server;
  organization: TestOrganization;
  identity: Identity;
  issuer: string;
  provider: { id: string; service: { acsURL: string; startURL: string; entityID: string } };
}

interface SignInOptions {
  organization?: TestOrganization;
  identity?: Identity;
  issuer?: string;
  settings?: object;
}

let shared: Identity | undefined;

/** Shares one key among the tests of a file, because generating a key is slow. */
export function getSharedIdentity(): Identity {
  shared ??= makeIdentity();
  return shared;
}

export async function makeSso(
  { organization, identity = getSharedIdentity(), issuer = 'https://idp.test/metadata', settings }: SignInOptions = {},
  server = platform(),
): Promise<Sso> {
  const owner = organization ?? (await server.makeOrganization());
  const body = {
    label: 'The provider',
    ssoURL: 'https://idp.test/sso',
    entityID: issuer,
    certificate: identity.certificate,
    ...settings,
  };
  const provider = await json<Sso['provider']>(`/v1/orgs/${owner.id}/saml`, { token: owner.token, body }, server);
  return { server, organization: owner, identity, issuer, provider };
}

/** A sign-in that a browser has started. */
export interface Begun {
  cookie: string;
  request: string;
  location: URL;
}

export async function begin({ server, provider }: Sso, query = ''): Promise<Begun> {
  const response = await server.request(`/sso/saml/${provider.id}/start${query}`);
  if (response.status !== 302) throw new Error(`start answered ${response.status} ${await response.text()}`);
  const location = new URL(response.headers.get('location') ?? '');
  const document = inflateRawSync(Buffer.from(location.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, location, request: / ID="([^"]+)"/.exec(document)?.[1] ?? '' };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Posts a response, as the browser does on behalf of the identity provider. */
export const deliver = ({ server, provider }: Sso, xml: string, relayState: string): Promise<Response> =>
  postForm({ server, provider }, { SAMLResponse: base64(xml), RelayState: relayState });

export const postForm = (
  { server, provider }: Pick<Sso, 'server' | 'provider'>,
  fields: Record<string, string>,
): Promise<Response> =>
  server.request(`/sso/saml/${provider.id}/acs`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });

export const finishSignIn = ({ server }: Sso, location: string, cookie: string | undefined): Promise<Response> =>
  server.request(new URL(location).pathname + new URL(location).search, {
    headers: { accept: 'application/json', ...(cookie === undefined ? {} : { cookie }) },
  });

export interface Session {
  token: string;
  organization: string;
  expiresAt: string;
}

/** Runs a complete sign-in and returns the last response, successful or not. */
export async function signIn(sso: Sso, says: Partial<Says> = {}): Promise<Response> {
  const { cookie, request } = await begin(sso);
  const all = { ...createHonestResponse(sso.provider.service, { issuer: sso.issuer, request }), ...says };
  const accepted = await deliver(sso, createResponse(all, sso.identity), request);
  if (accepted.status !== 303) throw new Error(`acs answered ${accepted.status} ${await accepted.text()}`);
  return finishSignIn(sso, accepted.headers.get('location') ?? '', cookie);
}

export async function createSession(sso: Sso, says: Partial<Says> = {}): Promise<Session> {
  const response = await signIn(sso, says);
  if (!response.ok) throw new Error(`finish answered ${response.status} ${await response.text()}`);
  return (await response.json()) as Session;
}
