import { createCollection } from './create-collection.ts';
import { deleteCollectionById } from './delete-collection-by-id.ts';
import { getCollectionById } from './get-collection-by-id.ts';
import { listCollectionsInOrganizationById } from './list-collections-in-organization-by-id.ts';
import { listSpacesInCollectionById } from './list-spaces-in-collection-by-id.ts';
import { moveCollection } from './move-collection.ts';
import { transferCollection } from './transfer-collection.ts';
import { updateCollectionById } from './update-collection-by-id.ts';

export const collectionsHandlers = {
  getCollectionById,
  updateCollectionById,
  deleteCollectionById,
  listSpacesInCollectionById,
  moveCollection,
  transferCollection,
  listCollectionsInOrganizationById,
  createCollection,
};
