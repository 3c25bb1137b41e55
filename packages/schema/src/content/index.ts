import { bookmarkEndpoints } from './bookmarks.ts';
import { changeEndpoints } from './changes.ts';
import { collectionEndpoints } from './collections.ts';
import { computedPageEndpoints } from './computed-pages.ts';
import { documentEndpoints, publishedDocumentEndpoints } from './documents.ts';
import { embedEndpoints } from './embeds.ts';
import { fileEndpoints } from './files.ts';
import { importEndpoints } from './imports.ts';
import { linkEndpoints } from './links.ts';
import { liveEndpoints } from './live.ts';
import { pageEndpoints } from './pages.ts';
import { historyEndpoints, reusableContentEndpoints, revisionEndpoints } from './revisions.ts';
import { searchEndpoints } from './search.ts';
import { blockChangeEndpoints, semanticChangeEndpoints } from './semantic-changes.ts';
import { spaceEndpoints } from './spaces.ts';
import { suggestionEndpoints } from './suggestions.ts';
import { trashEndpoints } from './trash.ts';
import { uploadEndpoints } from './uploads.ts';
import { urlEndpoints } from './urls.ts';

export * from './book.ts';
export * from './bookmarks.ts';
export * from './changes.ts';
export {
  GitSource,
  maxBatchFileBytes,
  maxBatchFiles,
  maxFetchedFileBytes,
  maxInlineFileBytes,
  maxSourceLinks,
  maxSourceLinksLength,
} from './changes.ts';
export * from './collections.ts';
export * from './computed-pages.ts';
export * from './documents.ts';
export * from './embeds.ts';
export * from './files.ts';
export * from './git-repository.ts';
export * from './imports.ts';
export * from './links.ts';
export * from './live.ts';
export * from './pages.ts';
export {
  ComputedSource,
  coverMasks,
  coverSizes,
  defaultPageLayout,
  getContentSource,
  getSpecificationSlug,
  PageCover,
  PageLayout,
  pageWidths,
} from './pages.ts';
export * from './resolve.ts';
export * from './revisions.ts';
export * from './search.ts';
export * from './semantic-changes.ts';
export * from './service.ts';
export * from './spaces.ts';
export * from './targets.ts';
export * from './trash.ts';
export * from './uploads.ts';
export * from './urls.ts';

/** The endpoints of the content worker. */
export const content = {
  ...spaceEndpoints,
  ...bookmarkEndpoints,
  ...collectionEndpoints,
  ...revisionEndpoints,
  ...historyEndpoints,
  ...reusableContentEndpoints,
  ...documentEndpoints,
  ...publishedDocumentEndpoints,
  ...pageEndpoints,
  ...computedPageEndpoints,
  ...changeEndpoints,
  ...semanticChangeEndpoints,
  ...blockChangeEndpoints,
  ...suggestionEndpoints,
  ...fileEndpoints,
  ...trashEndpoints,
  ...uploadEndpoints,
  ...linkEndpoints,
  ...liveEndpoints,
  ...searchEndpoints,
  ...importEndpoints,
  ...urlEndpoints,
  ...embedEndpoints,
};
export * from './warnings.ts';
