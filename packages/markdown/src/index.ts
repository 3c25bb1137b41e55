export { findFrontmatterBlock, readFrontmatter } from './frontmatter.ts';
export { codeRuns, codeSpan } from './inline-code.ts';
export { linksOf, rewriteTargets, withoutAnchor } from './links/links-of.ts';
export { maxMentions, mentionsOf } from './mentions-of.ts';
export { endOfPiece } from './plain-text.ts';
export { type Section, sectionsOf } from './sections.ts';
export { nextFreeSlug, slugAllocator, slugify, uniqueSuffix } from './slug.ts';
export { cleanTitle, titleOf } from './title.ts';
export { textKey } from './tree/content-key.ts';
export { type Block, type DocumentTree, type Inline, isBlock, type TextNode, textAt } from './tree/document-tree.ts';
export {
  type Evaluation,
  evaluateInPieces,
  evaluateTree,
  type Includable,
  includesOf,
  maxIncludeDepth,
} from './tree/evaluate-tree.ts';
export { parseTree } from './tree/parse-tree.ts';
export { readInPieces } from './tree/read-in-pieces.ts';
export { renderTree } from './tree/render-tree.ts';
export { readExtents } from './tree/tag-extents.ts';
export { TreeError, treeOfJson } from './tree/tree-of-json.ts';
