import type { Row } from '@octavo/db';
import { optionalNumber, readSpace } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { Space } from '@octavo/schema';
import { notFound, roleOfRank } from '@octavo/schema';

/** A space from what `spaceOfActor` gave within the batch that changed it. */
export function presentChanged([row = {}]: Row[], urls: Urls): Space {
  const space = readSpace(row);
  if (space === undefined) throw notFound('space');
  return presentSpace(space, roleOfRank(optionalNumber(row, 'role_rank')), urls);
}
