import { clientAddressHeader } from '@octavo/runtime';
import { networkOf } from './network.ts';

/** Who sends a request, as far as it tells by itself. */
export interface Visitor {
  /** The hash of the token, right or wrong; '' where it brings something else to sign in with. */
  token: string | undefined;
  /** The network of the client's address, where that is known. */
  network: string | undefined;
}

/** Reads the headers as the workers get them: the address among them is the one that is believed. */
export async function visitorOf(headers: Headers): Promise<Visitor> {
  const [authorization, address] = [headers.get('authorization'), headers.get(clientAddressHeader)];
  const token = /^Bearer ([\w-]{1,256})$/i.exec(authorization ?? '')?.[1];
  return {
    token: token === undefined ? (authorization === null ? undefined : '') : await hashOf(token),
    network: address === null ? undefined : networkOf(address),
  };
}

/** What stands for a secret in memory and for other services. */
export async function hashOf(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}
