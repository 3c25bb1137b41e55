import { expect } from 'vitest';
import type { Cost } from '../content/space-client.ts';
import { costOf } from '../content/space-client.ts';
import type { Server } from './platform.ts';

/** Rows that a page may cost more than another of its length: rows at the same moment as its cursor. */
const fewRows = 4;

export interface Read<Body> {
  body: Body;
  cost: Cost;
}

/** Reads through the API, with what the answer says that it cost. */
export async function readWithCost<Body>(server: Server, path: string, token: string): Promise<Read<Body>> {
  const answer = await server.request(path, { token });
  expect([path, answer.status]).toEqual([path, 200]);
  return { body: (await answer.json()) as Body, cost: costOf(answer) };
}

interface Page {
  items: unknown[];
  next?: { page: string };
}

const pageSize = 1000;
const measuredSize = 3;

/** What a page of three costs at the start, in the middle and at the end of a list. */
export async function costsOfPages(server: Server, path: string, token: string): Promise<Cost[]> {
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

/** Holds that no page takes more than the first one; only the last one, which may be shorter, may take less. */
export function expectSameCost([first, ...others]: Cost[]): void {
  for (const [index, cost] of others.entries()) {
    expect([index, cost.trips, cost.written]).toEqual([index, first?.trips, first?.written]);
    expect([index, cost.read - (first?.read ?? 0)]).toEqual([index, expect.toSatisfy((more) => more <= fewRows)]);
  }
}
