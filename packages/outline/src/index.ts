export type { SummaryEntry, SummaryItem } from './summary.ts';
export { writeSummary, writeTarget } from './summary.ts';
export { treeOfFiles } from './tree-of-files.ts';
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
  type WantedTree,
  walkWanted,
} from './wanted.ts';
