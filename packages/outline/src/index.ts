export { candidatesAt, idOfLinks, keptLinks, resolveLink, withoutMarkdownEnding } from './candidates.ts';
export { folderBelow, folderBeside, type OutputLocations, placesIn } from './conventions/places.ts';
export {
  fieldsOfNew,
  firstTitle,
  isMarkdown,
  isOrdinary,
  type OutlineSource,
  ownSlug,
  type Problem,
  pageName,
  slugOfName,
  targetOfPage,
  titleOfName,
  type WantedEntry,
  type WantedLink,
  type WantedPage,
  walkWanted,
} from './frontmatter-fields.ts';
export { normalizePath } from './paths.ts';
export { readOutputLocations, readRepository } from './read-repository.ts';
export type { Repository, RepositoryOptions } from './repository.ts';
export { restyleSummary } from './restyle-summary.ts';
export { writeTarget } from './summary.ts';
export type { RestyledEntry, RestyledItem } from './summary-writer.ts';
export { longestIncreasing } from './summary-writer.ts';
