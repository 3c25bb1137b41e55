import type { List } from '@octavo/schema';

/** Every item of a list, one page after the other: `fn` is given the cursor, undefined for the first page. */
export async function* paginate<Item>(fn: (page: string | undefined) => Promise<List<Item>>): AsyncGenerator<Item> {
  let page: string | undefined;
  do {
    const list = await fn(page);
    yield* list.items;
    page = list.next?.page;
  } while (page !== undefined);
}
