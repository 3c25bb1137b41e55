import type { GatewayEnvironment } from './environment.ts';

/** An IPv4 or IPv6 address, as far as its characters tell. */
const address = /^[0-9a-f.:]{2,45}$/i;

/** The client's address where a header is trusted to hold it. */
export function clientAddress(
  headers: Headers,
  env: Pick<GatewayEnvironment, 'OCTAVO_CLIENT_ADDRESS_HEADER'>,
): string | undefined {
  const trusted = env.OCTAVO_CLIENT_ADDRESS_HEADER;
  const found = trusted ? headers.get(trusted)?.trim() : undefined;
  return found !== undefined && address.test(found) ? found : undefined;
}
