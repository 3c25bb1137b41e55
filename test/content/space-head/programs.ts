import type { SpaceClient } from '../space-client.ts';

export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Returns the revisions of main from the head to the first, following first parents. */
export async function getChain(space: SpaceClient): Promise<string[]> {
  const chain: string[] = [];
  for (let next: string | undefined = (await space.head()).id; next !== undefined; ) {
    chain.push(next);
    next = (await space.revision(next)).parents[0];
  }
  return chain;
}
