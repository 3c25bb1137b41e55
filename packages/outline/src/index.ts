export { candidatesAt, leadsTo, withoutMarkdownEnding } from './candidates.ts';
export { readRepository } from './read-repository.ts';
export type { Repository, RepositoryOptions } from './repository.ts';
export { idOfLinks, keptLinks } from './source-links.ts';
export type { SummaryEntry, SummaryItem } from './summary.ts';
export { writeSummary, writeTarget } from './summary.ts';
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
  titleOfName,
  type WantedEntry,
  type WantedLink,
  type WantedPage,
  walkWanted,
} from './wanted.ts';
