import { clientAddressHeader } from '@octavo/runtime';
import type { GatewayEnvironment } from './environment.ts';

/** An IPv4 or IPv6 address, as far as its characters tell. */
const address = /^[0-9a-f.:]{2,45}$/i;

/** Hands on the client's address where a header is trusted to hold it, and what the client itself says never. */
export function setClientAddress(
  headers: Headers,
  env: Pick<GatewayEnvironment, 'OCTAVO_CLIENT_ADDRESS_HEADER'>,
): void {
  const trusted = env.OCTAVO_CLIENT_ADDRESS_HEADER;
  const found = trusted ? headers.get(trusted)?.trim() : undefined;
  headers.delete(clientAddressHeader);
  if (found !== undefined && address.test(found)) headers.set(clientAddressHeader, found);
}
