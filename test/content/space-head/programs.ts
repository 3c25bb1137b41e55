import type { SpaceClient } from '../space-client.ts';

export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** The revisions of main from its head to the first, each the first parent of the one before it. */
export async function chainOf(space: SpaceClient): Promise<string[]> {
  const chain: string[] = [];
  for (let next: string | undefined = (await space.head()).id; next !== undefined; ) {
    chain.push(next);
    next = (await space.revision(next)).parents[0];
  }
  return chain;
}
