export { fieldsOfNew, firstTitle, ownSlug, pageName, slugOfName, titleOfName } from './names.ts';
export { isMarkdown, isOrdinary, type OutlineSource } from './source.ts';
export type { SummaryEntry, SummaryItem } from './summary.ts';
export { writeSummary, writeTarget } from './summary.ts';
export { treeOfFiles } from './tree-of-files.ts';
export {
  type Problem,
  type WantedEntry,
  type WantedLink,
  type WantedPage,
  type WantedTree,
  walkWanted,
} from './wanted.ts';
