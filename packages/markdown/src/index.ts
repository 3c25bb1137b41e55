export { readFrontmatter } from './frontmatter.ts';
export {
  type FrontmatterBlock,
  type FrontmatterValue,
  findFrontmatterBlock,
  setFrontmatter,
} from './frontmatter-block.ts';
export { headingParts } from './headings.ts';
export { codeRuns, codeSpan } from './inline-syntax.ts';
export { conditionalLinks, holdIn, type LinkConditions, specsIn } from './links/conditional-links.ts';
export { linksOf, rewriteTargets, withoutAnchor } from './links/links-of.ts';
export { endOfPiece } from './plain-text.ts';
export {
  type Anchor,
  type AnchoredText,
  anchoredTexts,
  anchorsOf,
  maxAnchoredLength,
  never,
  type Section,
  sectionsOf,
} from './sections.ts';
export {
  cleanTitle,
  githubIds,
  nextFreeSlug,
  placeIds,
  slugAllocator,
  slugify,
  titleOf,
  uniqueSuffix,
} from './slug.ts';
export {
  type Block,
  block,
  type DocumentTree,
  type Inline,
  isBlock,
  isPlain,
  plainBlocks,
  type TextNode,
  type TreeData,
  textAt,
  textKey,
  treeOf,
  urlReference,
} from './tree/document-tree.ts';
export {
  type Evaluation,
  evaluateInPieces,
  evaluateTree,
  type Includable,
  maxIncludeDepth,
  mayBeEvaluated,
} from './tree/evaluate-tree.ts';
export { readExtents } from './tree/extents.ts';
export { type ParseOptions, parseTree, readInPieces, renderTree } from './tree/parse-tree.ts';
export type { PublishedDocument } from './tree/published-nodes.ts';
export { blocksOfOthers, escapeTags, publishedOfOthers, publishedTree } from './tree/published-tree.ts';
export { mapReferences, maxMentions, mayRunCode, mentionsOf, type ReferenceOf } from './tree/references.ts';
export { TreeError, treeOfJson } from './tree/tree-of-json.ts';
export { withFirstHeading, withHeading } from './write-heading.ts';
