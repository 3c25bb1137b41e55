import { expect } from 'vitest';
import { json } from './content.ts';
import type { Server } from './platform.ts';
import { platform } from './platform.ts';
import { getSample } from './random.ts';

interface Item {
  id?: string;
  space?: { id: string };
  team?: { id?: string };
  organization?: { id: string };
  user?: { id: string };
}

interface Page {
  count: number;
  items: Item[];
  next?: { page: string };
}

/** Returns the key of a list item: its id, or the id of the object in it, or the whole item as JSON. */
const getId = (item: Item): string =>
  item.id ?? item.space?.id ?? item.team?.id ?? item.organization?.id ?? item.user?.id ?? JSON.stringify(item);

const encodeCursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const notCursors = [
  '',
  'x',
  'must be a cursor',
  '%00',
  encodeCursor(null),
  encodeCursor([1]),
  encodeCursor(['a', 'b']),
  encodeCursor([1, 'a', 2]),
  encodeCursor({ length: 2 }),
  'x'.repeat(2049),
];

interface Walk {
  limit?: number;
  between?: () => Promise<void>;
  server?: Server | undefined;
}

/** Reads all pages of a list, `limit` items at a time, and returns the ids in order. `between` runs after each page. */
export const walk = async (path: string, token: string, options: Walk = {}): Promise<string[]> =>
  (await walkItems(path, token, options)).map(getId);

/** Like `walk`, but returns the items. */
export async function walkItems(
  path: string,
  token: string,
  { limit = 2, between = async () => {}, server }: Walk = {},
): Promise<Page['items']> {
  const items: Page['items'] = [];
  const joined = path.includes('?') ? '&' : '?';
  let page: string | undefined;
  do {
    const more = page === undefined ? '' : `&page=${encodeURIComponent(page)}`;
    const found: Page = await json(`${path}${joined}limit=${limit}${more}`, { token }, server);
    expect(found.count).toBe(found.items.length);
    expect(found.items.length).toBeLessThanOrEqual(limit);
    items.push(...found.items);
    if (page !== undefined && found.next?.page === page) throw new Error('The cursor does not move on.');
    page = found.next?.page;
    await between();
  } while (page !== undefined);
  return items;
}

/**
 * Expects a list of at least three rows to follow the paging rules: it enforces limits, rejects malformed cursors, and
 * returns each row once and in the same order with any page size, even while `add` inserts rows.
 */
export async function expectPaging(
  path: string,
  token: string,
  add: () => Promise<unknown>,
  server: Server = platform(),
): Promise<void> {
  const joined = path.includes('?') ? '&' : '?';
  const ids = await walk(path, token, { limit: 1000, server });

  expect(ids.length).toBeGreaterThanOrEqual(3);
  expect(new Set(ids).size).toBe(ids.length);
  expect(await walk(path, token, { limit: 1, server })).toEqual(ids);
  expect(await json(`${path}${joined}limit=0`, { token }, server)).toEqual({ count: 0, items: [] });

  for (const limit of getSample(['1001', '-1', '1.5', 'x', '', '1e2', '1&limit=2'], 3)) {
    const response = await server.request(`${path}${joined}limit=${limit}`, { token });
    expect([limit, response.status]).toEqual([limit, 400]);
  }
  for (const page of getSample(notCursors, 3)) {
    const response = await server.request(`${path}${joined}page=${encodeURIComponent(page)}`, { token });
    expect([page, response.status]).toEqual([page, 400]);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid', issues: [{ path: 'query.page' }] } });
  }
  for (const odd of [encodeCursor([1, '\ud800']), encodeCursor([1, 'a\u0000b']), encodeCursor([-1e300, ''])]) {
    expect([200, 400]).toContain((await server.request(`${path}${joined}page=${odd}`, { token })).status);
  }

  const meanwhile = await walk(path, token, { limit: 1, between: async () => void (await add()), server });
  expect(new Set(meanwhile).size).toBe(meanwhile.length);
  expect(meanwhile.filter((id) => ids.includes(id))).toEqual(ids);
}

/** Limits the number of calls of `add`. In a list that grows at its end, reading pages of one item would never end. */
export function limitCalls(times: number, add: () => Promise<unknown>): () => Promise<unknown> {
  let done = 0;
  return async () => {
    done += 1;
    if (done <= times) await add();
  };
}
