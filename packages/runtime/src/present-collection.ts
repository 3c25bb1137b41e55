import type { CollectionRecord } from '@octavo/db';
import type { Collection } from '@octavo/schema';
import { collectionPermissions } from '@octavo/schema';
import type { Urls } from './urls.ts';

/** A collection as the member sees it whose role its record carries. */
export function presentCollection(collection: CollectionRecord, urls: Urls): Collection {
  const { id, title, description, organization, parent, defaultLevel, role, onTheWay } = collection;
  const path = `/collections/${id}`;
  return {
    object: 'collection',
    id,
    title,
    ...(description === null || description === '' ? {} : { description }),
    organization,
    ...(parent === null ? {} : { parent }),
    defaultLevel,
    urls: { location: urls.location(path), app: urls.app(path) },
    permissions: collectionPermissions(role, onTheWay),
  };
}
