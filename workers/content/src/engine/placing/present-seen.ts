import type { Row } from '@octavo/db';
import { number, readSpace } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { Space } from '@octavo/schema';
import { roleOfRank } from '@octavo/schema';

/** A space of a list, from a row with the caller's `role_rank`. */
export function presentSeen(row: Row, urls: Urls): Space {
  const space = readSpace(row);
  if (space === undefined) throw new Error('A list of spaces gave a row without one.');
  return presentSpace(space, roleOfRank(number(row, 'role_rank')), urls);
}
