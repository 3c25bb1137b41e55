export { type Anchor, type AnchoredText, anchoredTexts, anchorsOf, maxAnchoredLength } from './anchors.ts';
export { codeRuns, codeSpan } from './code-runs.ts';
export { never } from './conditional-parts.ts';
export { readFrontmatter } from './frontmatter.ts';
export { type FrontmatterBlock, findFrontmatterBlock } from './frontmatter-block.ts';
export { headingParts } from './headings.ts';
export { conditionalLinks, holdIn, type LinkConditions } from './links/conditional-links.ts';
export { linksOf, rewriteTargets, withoutAnchor } from './links/links-of.ts';
export { specsIn } from './links/specs-in.ts';
export { maxMentions, mentionsOf } from './mentions-of.ts';
export { githubIds, placeIds } from './place-ids.ts';
export { endOfPiece } from './plain-text.ts';
export { type Section, sectionsOf } from './sections.ts';
export { cleanTitle, nextFreeSlug, slugAllocator, slugify, titleOf, uniqueSuffix } from './slug.ts';
export {
  type Block,
  block,
  type DocumentTree,
  type Inline,
  isBlock,
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
} from './tree/evaluate-tree.ts';
export { readExtents } from './tree/extents.ts';
export { type ParseOptions, parseTree, renderTree } from './tree/parse-tree.ts';
export { isPlain, plainBlocks } from './tree/plain-blocks.ts';
export type { PublishedDocument } from './tree/published-nodes.ts';
export { publishedTree } from './tree/published-tree.ts';
export { readInPieces } from './tree/read-in-pieces.ts';
export { mapReferences, mayRunCode, type ReferenceOf } from './tree/references.ts';
export { mayBeEvaluated } from './tree/strict-tree.ts';
export { blocksOfOthers, escapeTags, publishedOfOthers } from './tree/text-of-others.ts';
export { TreeError, treeOfJson } from './tree/tree-of-json.ts';
export { type FrontmatterValue, setFrontmatter } from './write-frontmatter.ts';
export { withFirstHeading, withHeading } from './write-heading.ts';
