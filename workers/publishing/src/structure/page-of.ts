import { decodeCursor, paginate } from '@octavo/db';
import type { List, PageQuery } from '@octavo/schema';
import type { Ordered } from './arrange.ts';

interface Shown<Item, Given> {
  /** How many texts the place of an item in the order has. */
  depth: number;
  present: (item: Item) => Given;
}

/** A page of a list that is bounded, and was read as a whole: it goes on from a place, whatever stands there since. */
export function pageOf<Item, Given>(
  all: Ordered<Item>[],
  { page, limit }: PageQuery,
  { depth, present }: Shown<Item, Given>,
): List<Given> {
  const cursor = decodeCursor(page, Array<'string'>(depth).fill('string'));
  const rest = cursor === undefined ? all : all.filter(({ order }) => isAfter(order, cursor));
  return paginate(rest, limit, { item: ({ item }) => present(item), cursorOf: ({ order }) => order });
}

function isAfter(order: string[], cursor: (string | number)[]): boolean {
  const at = order.findIndex((part, index) => part !== cursor[index]);
  return at >= 0 && (order[at] ?? '') > String(cursor[at] ?? '');
}
