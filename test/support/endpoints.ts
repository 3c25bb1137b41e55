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

/** Returns the endpoint of an operation and throws if no contract has it. */
export function getEndpoint(id: string): Endpoint {
  const operation = operations.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`No contract has an operation ${id}.`);
  return operation.endpoint;
}

/** Fills the path parameters of an endpoint with these ids. Parameters without an id get a placeholder. */
export const getAddress = ({ path }: Endpoint, ids: Record<string, string> = {}): string =>
  path.replace(/:(\w+)\+?/g, (_, name: string) => ids[name] ?? madeUp[name] ?? `madeup${name.toLowerCase()}`);

/** Placeholders for parameters that accept only certain values. */
const madeUp: Record<string, string> = { translationLanguage: 'fr' };
