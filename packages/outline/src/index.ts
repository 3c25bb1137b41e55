export {
  getCandidates,
  hashLinks,
  limitLinks,
  removeMarkdownEnding,
  resolveLink,
} from './candidates.ts';
export { type GitbookSite, readSiteStructure, type SiteEntry, type SiteFolder } from './conventions/gitbook-site.ts';
export { createOutputLocations, getFolderBelow, getSiblingFolder, type OutputLocations } from './conventions/places.ts';
export { namesAny } from './conventions/summary.ts';
export {
  findFirstTitle,
  getNewFields,
  getOwnSlug,
  getPageName,
  isDocsPath,
  isMarkdown,
  nameToSlug,
  nameToTitle,
  type OutlineSource,
  type Problem,
  toPageTarget,
  type WantedEntry,
  type WantedLink,
  type WantedPage,
  walkOutlineEntries,
} from './frontmatter-fields.ts';
export { normalizePath } from './paths.ts';
export { readOutputLocations, readRepository } from './read-repository.ts';
export type { Repository, RepositoryOptions } from './repository.ts';
export { restyleSummary } from './restyle-summary.ts';
export { writeTarget } from './summary.ts';
export type { RestyledEntry, RestyledItem } from './summary-writer.ts';
export { findLongestIncreasing } from './summary-writer.ts';
