import type { Row } from '@octavo/db';
import { readCollection } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentCollection } from '@octavo/runtime';
import type { Collection } from '@octavo/schema';
import { notFound } from '@octavo/schema';

/** A collection from what `collectionOfActor` gave within the batch that changed it. */
export function presentChanged(rows: unknown[] | undefined, urls: Urls): Collection {
  const [row = {}] = (rows ?? []) as Row[];
  const collection = readCollection(row);
  if (collection === undefined) throw notFound('collection');
  return presentCollection(collection, urls);
}
