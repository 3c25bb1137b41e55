import { getClaimedSite, hashBearerToken, hashText, isVisitorToken } from '@octavo/runtime';

/** The identity of a sender, as far as the request itself shows it. */
export interface Sender {
  /** The hash of the token, valid or not; '' for another form of authorization. */
  token: string | undefined;
  /** The hash of a visitor token, valid or not. A reader can get any number of them, with different claims. */
  visitor?: string;
  /** The site that a visitor token names. Nothing is verified here. */
  site?: string | undefined;
  /** The network of the client's address, if it is known. */
  network: string | undefined;
}

/** The properties of a request that identify its sender. */
export interface SenderHeaders {
  authorization: string | null;
  /** The trusted address of the client. */
  address: string | undefined;
}

export async function identifySender({ authorization, address }: SenderHeaders): Promise<Sender> {
  const network = address === undefined ? undefined : getNetwork(address);
  if (authorization !== null && isVisitorToken(authorization)) {
    const visitor = await hashText(authorization.slice('Bearer '.length));
    return { token: undefined, visitor, site: getClaimedSite(authorization), network };
  }
  const token = await hashBearerToken(authorization);
  return { token: token ?? (authorization === null ? undefined : ''), network };
}

/** Returns the address itself, or for IPv6 its /64 network, which belongs to one subscriber. */
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
