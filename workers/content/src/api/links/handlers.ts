import { listChangeRequestFileBacklinks } from './list-change-request-file-backlinks.ts';
import { listChangeRequestLinkLocations } from './list-change-request-link-locations.ts';
import { listPageLinksInChangeRequest } from './list-page-links-in-change-request.ts';
import { listPageLinksInSpace } from './list-page-links-in-space.ts';
import { listSpaceFileBacklinks } from './list-space-file-backlinks.ts';
import { listSpaceLinkLocations } from './list-space-link-locations.ts';
import { listSpaceLinks } from './list-space-links.ts';

export const linksHandlers = {
  listSpaceLinks,
  listPageLinksInSpace,
  listPageLinksInChangeRequest,
  listSpaceLinkLocations,
  listChangeRequestLinkLocations,
  listSpaceFileBacklinks,
  listChangeRequestFileBacklinks,
};
