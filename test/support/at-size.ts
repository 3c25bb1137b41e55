import { expect } from 'vitest';
import type { Cost } from '../content/space-client.ts';
import { getCost } from '../content/space-client.ts';
import type { Server } from './platform.ts';

/**
 * Tolerance in rows read between pages of the same length. A page also reads the rows with the same timestamp as the
 * cursor, and the entry after its range in the index. The last range of an index has no such entry, and random ids
 * determine which range is the last one.
 */
const fewRows = 4;

export interface Read<Body> {
  body: Body;
  cost: Cost;
}

/** Reads a path through the API and returns the body with the cost that the response headers report. */
export async function readWithCost<Body>(server: Server, path: string, token: string): Promise<Read<Body>> {
  const response = await server.request(path, { token });
  expect([path, response.status]).toEqual([path, 200]);
  return { body: (await response.json()) as Body, cost: getCost(response) };
}

interface Page {
  items: unknown[];
  next?: { page: string };
}

const pageSize = 1000;
const measuredSize = 3;

/** Measures a page of three items at the start, in the middle and at the end of a list. */
export async function measurePages(server: Server, path: string, token: string): Promise<Cost[]> {
  const joined = path.includes('?') ? '&' : '?';
  const read = (limit: number, page: string | undefined) => {
    const more = page === undefined ? '' : `&page=${page}`;
    return readWithCost<Page>(server, `${path}${joined}limit=${limit}${more}`, token);
  };
  const cursors: (string | undefined)[] = [undefined];
  for (;;) {
    const next: string | undefined = (await read(pageSize, cursors.at(-1))).body.next?.page;
    if (next === undefined) break;
    cursors.push(next);
  }
  const places = [undefined, cursors[Math.floor(cursors.length / 2)], cursors.at(-1)];
  return Promise.all(places.map(async (place) => (await read(measuredSize, place)).cost));
}

/** Expects every page to cost the same as the first one. The last page may be shorter and may read less. */
export function expectSameCost([first, ...others]: Cost[]): void {
  for (const [index, cost] of others.entries()) {
    expect([index, cost.trips, cost.written]).toEqual([index, first?.trips, first?.written]);
    expect([index, cost.read - (first?.read ?? 0)]).toEqual([index, expect.toSatisfy((more) => more <= fewRows)]);
  }
}
