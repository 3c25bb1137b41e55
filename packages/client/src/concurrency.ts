/** Maps items with at most `limit` concurrent calls. The results are in the order of the items. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  fn: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const callNext = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await fn(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, callNext));
  return results;
}
