import { bringsVisitorToken, hashOf, hashOfToken } from '@octavo/runtime';
import { networkOf } from './network.ts';

/** Who sends a request, as far as it tells by itself. */
export interface Sender {
  /** The hash of the token, right or wrong; '' where it brings something else to sign in with. */
  token: string | undefined;
  /**
   * The hash of a visitor's token, right or wrong, and of the network: a token is signed, so that there is nothing to
   * guess, and all who are shown the same have one in common.
   */
  visitor?: string;
  /** The network of the client's address, where that is known. */
  network: string | undefined;
}

/** What a request tells of who sends it. */
export interface Shown {
  authorization: string | null;
  /** The client's address, as it is believed. */
  address: string | undefined;
}

export async function senderOf({ authorization, address }: Shown): Promise<Sender> {
  const network = address === undefined ? undefined : networkOf(address);
  if (authorization !== null && bringsVisitorToken(authorization))
    return {
      token: undefined,
      visitor: await hashOf(`${authorization.slice('Bearer '.length)}\n${network ?? ''}`),
      network,
    };
  const token = await hashOfToken(authorization);
  return { token: token ?? (authorization === null ? undefined : ''), network };
}
