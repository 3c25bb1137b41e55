import type { SpaceWithRole } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { Space } from '@octavo/schema';
import { notFound } from '@octavo/schema';

/** A space from what `spaceOfActor` gave within the batch that changed it. */
export function presentChanged([changed]: SpaceWithRole[], urls: Urls): Space {
  if (changed === undefined) throw notFound('space');
  return presentSpace(changed.space, changed.role, urls);
}
