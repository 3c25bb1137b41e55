import { consume, implement, sweepOutbox } from '@octavo/runtime';
import { content, EventMessage } from '@octavo/schema';
import { getChangeRequestChanges } from './changes/get-change-request-changes.ts';
import { updateChangeRequestContent } from './changes/update-change-request-content.ts';
import { updateSpaceContent } from './changes/update-space-content.ts';
import type { ContentEnvironment } from './environment.ts';
import { getPageById } from './pages/get-page-by-id.ts';
import { getPageByPath } from './pages/get-page-by-path.ts';
import { getPageInChangeRequestById } from './pages/get-page-in-change-request-by-id.ts';
import { getPageInChangeRequestByPath } from './pages/get-page-in-change-request-by-path.ts';
import { getPageInRevisionById } from './pages/get-page-in-revision-by-id.ts';
import { getPageInRevisionByPath } from './pages/get-page-in-revision-by-path.ts';
import { listPages } from './pages/list-pages.ts';
import { listPagesInChangeRequest } from './pages/list-pages-in-change-request.ts';
import { listPagesInRevisionById } from './pages/list-pages-in-revision-by-id.ts';
import { getCurrentRevision } from './revisions/get-current-revision.ts';
import { getRevisionById } from './revisions/get-revision-by-id.ts';
import { getRevisionOfChangeRequestById } from './revisions/get-revision-of-change-request-by-id.ts';
import { handleContentChanged } from './search/handle-content-changed.ts';
import { searchSpaceContent } from './search/search-space-content.ts';
import { createSpace } from './spaces/create-space.ts';
import { getSpaceById } from './spaces/get-space-by-id.ts';
import { listSpacesInOrganizationById } from './spaces/list-spaces-in-organization-by-id.ts';
import { updateSpaceById } from './spaces/update-space-by-id.ts';

export { ContentService } from './service.ts';
export { SpaceHead } from './space-head/space-head.ts';

const endpoints = implement<typeof content, ContentEnvironment>(content, {
  createSpace,
  listSpacesInOrganizationById,
  getSpaceById,
  updateSpaceById,
  getCurrentRevision,
  getRevisionOfChangeRequestById,
  getRevisionById,
  listPages,
  getPageById,
  getPageByPath,
  listPagesInChangeRequest,
  getPageInChangeRequestById,
  getPageInChangeRequestByPath,
  listPagesInRevisionById,
  getPageInRevisionById,
  getPageInRevisionByPath,
  updateChangeRequestContent,
  updateSpaceContent,
  getChangeRequestChanges,
  searchSpaceContent,
});

export default {
  fetch: endpoints.fetch,
  queue: (batch, env) => consume(batch, EventMessage, (message) => handleContentChanged(message, env)),
  scheduled: (_, env) => sweepOutbox(env),
} satisfies ExportedHandler<ContentEnvironment>;
