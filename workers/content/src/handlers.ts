import type { Handlers } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { getChangeRequestChanges } from './api/changes/get-change-request-changes.ts';
import { getRevisionSemanticChanges } from './api/changes/get-revision-semantic-changes.ts';
import { updateChangeRequestContent } from './api/changes/update-change-request-content.ts';
import { updateSpaceContent } from './api/changes/update-space-content.ts';
import { createCollection } from './api/collections/create-collection.ts';
import { deleteCollectionById } from './api/collections/delete-collection-by-id.ts';
import { getCollectionById } from './api/collections/get-collection-by-id.ts';
import { listCollectionsInOrganizationById } from './api/collections/list-collections-in-organization-by-id.ts';
import { listSpacesInCollectionById } from './api/collections/list-spaces-in-collection-by-id.ts';
import { moveCollection } from './api/collections/move-collection.ts';
import { transferCollection } from './api/collections/transfer-collection.ts';
import { updateCollectionById } from './api/collections/update-collection-by-id.ts';
import { getDocumentById } from './api/documents/get-document-by-id.ts';
import { getPageDocument } from './api/documents/get-page-document.ts';
import { getReusableContentDocument } from './api/documents/get-reusable-content-document.ts';
import { listPageMetaLinks } from './api/documents/list-page-meta-links.ts';
import { getEmbedByUrl } from './api/embeds/get-embed-by-url.ts';
import { getEmbedByUrlInSpace } from './api/embeds/get-embed-by-url-in-space.ts';
import { getFileById } from './api/files/get-file-by-id.ts';
import { listFiles } from './api/files/list-files.ts';
import { cancelImport } from './api/imports/cancel-import.ts';
import { getImport } from './api/imports/get-import.ts';
import { importContent } from './api/imports/import-content.ts';
import { listFileBacklinks } from './api/links/list-file-backlinks.ts';
import { listLinkLocations } from './api/links/list-link-locations.ts';
import { listPageLinks } from './api/links/list-page-links.ts';
import { listSpaceLinks } from './api/links/list-space-links.ts';
import { getPageById } from './api/pages/get-page-by-id.ts';
import { getPageByPath } from './api/pages/get-page-by-path.ts';
import { listComputedPages } from './api/pages/list-computed-pages.ts';
import { listPages } from './api/pages/list-pages.ts';
import { getReusableContentById } from './api/reusable-contents/get-reusable-content-by-id.ts';
import { getRevision } from './api/revisions/get-revision.ts';
import { searchSpaceContent } from './api/search/search-space-content.ts';
import { createSpace } from './api/spaces/create-space.ts';
import { deleteSpaceById } from './api/spaces/delete-space-by-id.ts';
import { duplicateSpace } from './api/spaces/duplicate-space.ts';
import { getSpaceById } from './api/spaces/get-space-by-id.ts';
import { listSpacesInOrganizationById } from './api/spaces/list-spaces-in-organization-by-id.ts';
import { moveSpace } from './api/spaces/move-space.ts';
import { restoreSpace } from './api/spaces/restore-space.ts';
import { transferSpace } from './api/spaces/transfer-space.ts';
import { updateSpaceById } from './api/spaces/update-space-by-id.ts';
import { generateStorageUploadURL } from './api/uploads/generate-storage-upload-url.ts';
import { getContentByUrl } from './api/urls/get-content-by-url.ts';
import type { HeadEnvironment } from './heads/space-head.ts';

/** The operations of this worker. */
export const handlers: Handlers<typeof content, HeadEnvironment> = {
  getChangeRequestChanges,
  getRevisionSemanticChanges,
  updateChangeRequestContent,
  updateSpaceContent,
  createCollection,
  deleteCollectionById,
  getCollectionById,
  listCollectionsInOrganizationById,
  listSpacesInCollectionById,
  moveCollection,
  transferCollection,
  updateCollectionById,
  getDocumentById,
  getPageDocument,
  getReusableContentDocument,
  listPageMetaLinks,
  getFileById,
  listFiles,
  cancelImport,
  getImport,
  importContent,
  listFileBacklinks,
  listLinkLocations,
  listPageLinks,
  listSpaceLinks,
  getPageById,
  getPageByPath,
  listComputedPages,
  listPages,
  getReusableContentById,
  getRevision,
  searchSpaceContent,
  createSpace,
  deleteSpaceById,
  duplicateSpace,
  getSpaceById,
  listSpacesInOrganizationById,
  moveSpace,
  restoreSpace,
  transferSpace,
  updateSpaceById,
  generateStorageUploadURL,
  getContentByUrl,
  getEmbedByUrl,
  getEmbedByUrlInSpace,
};
