import type { Endpoint } from '@octavo/schema';
import { contracts } from '@octavo/schema';

export interface Operation {
  id: string;
  endpoint: Endpoint;
}

/** Every endpoint of every contract. */
export const operations: Operation[] = Object.values(contracts).flatMap((contract) =>
  Object.entries(contract as Record<string, Endpoint>).map(([id, endpoint]) => ({
    id,
    endpoint,
  })),
);

/** The endpoint of an operation that some contract has. */
export function endpointOf(id: string): Endpoint {
  const operation = operations.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`No contract has an operation ${id}.`);
  return operation.endpoint;
}

/** The path of an endpoint with these ids; a parameter that has none gets a made-up one. */
export const addressOf = ({ path }: Endpoint, ids: Record<string, string> = {}): string =>
  path.replace(/:(\w+)\+?/g, (_, name: string) => ids[name] ?? madeUp[name] ?? `madeup${name.toLowerCase()}`);

/** Parameters that only certain words fit. */
const madeUp: Record<string, string> = { translationLanguage: 'fr' };
