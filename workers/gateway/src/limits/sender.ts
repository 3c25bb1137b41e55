import { hashBearerToken, hashText, isVisitorToken } from '@octavo/runtime';

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
export interface SenderHeaders {
  authorization: string | null;
  /** The client's address, as it is believed. */
  address: string | undefined;
}

export async function identifySender({ authorization, address }: SenderHeaders): Promise<Sender> {
  const network = address === undefined ? undefined : getNetwork(address);
  if (authorization !== null && isVisitorToken(authorization))
    return {
      token: undefined,
      visitor: await hashText(`${authorization.slice('Bearer '.length)}\n${network ?? ''}`),
      network,
    };
  const token = await hashBearerToken(authorization);
  return { token: token ?? (authorization === null ? undefined : ''), network };
}

/** What an address counts as: itself, or of IPv6 the /64 network, all of which one subscriber has. */
export function getNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const [first, last] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - (first?.length ?? 0) - (last?.length ?? 0);
  const groups = [...(first ?? []), ...Array<string>(Math.max(0, zeros)).fill('0'), ...(last ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
