import type { CollectionRecord } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentCollection } from '@octavo/runtime';
import type { Collection } from '@octavo/schema';
import { notFound } from '@octavo/schema';

/** A collection from what `collectionOfActor` gave within the batch that changed it. */
export function presentChanged([collection]: CollectionRecord[], urls: Urls): Collection {
  if (collection === undefined) throw notFound('collection');
  return presentCollection(collection, urls);
}
