export { readFrontmatter } from './frontmatter.ts';
export {
  type FrontmatterBlock,
  type FrontmatterValue,
  findFrontmatterBlock,
  setFrontmatter,
} from './frontmatter-block.ts';
export { splitHeading } from './headings.ts';
export { expandIncludes, type FindIncluded } from './includes/expand-includes.ts';
export { findIncludes } from './includes/find-includes.ts';
export { selectPart } from './includes/select-part.ts';
export { findUnknownComponents } from './includes/unknown-components.ts';
export { findCodeRuns, findCodeSpan, matchBlockTag } from './inline-syntax.ts';
export { findBareAddresses } from './links/bare-addresses.ts';
export { areConditionsMet, findConditionalLinks, findSpecs, type LinkConditions } from './links/conditional-links.ts';
export { getLinks, getLinksInSteps, removeAnchor, rewriteTargets } from './links/find-links.ts';
export { findPieceEnd } from './plain-text.ts';
export {
  type Anchor,
  type AnchoredText,
  getAnchoredTexts,
  getAnchors,
  getSections,
  getSectionsInSteps,
  type Section,
  toStoredAnchors,
} from './sections.ts';
export {
  createSlugAllocator,
  decodeAnchor,
  findFreeSlug,
  getAnchorNames,
  getUniqueSuffix,
  maxAnchorLength,
  slugify,
} from './slug.ts';
export { never } from './split-conditions.ts';
export { cleanTitle, getTitle } from './title.ts';
export { checkBlocks, type SpecificationBlock } from './tree/check-blocks.ts';
export {
  type Block,
  createBlock,
  createUrlReference,
  type DocumentTree,
  getTextAt,
  getTree,
  hashText,
  type Inline,
  isBlock,
  isPlain,
  type TextNode,
  type TreeData,
  toPlainBlocks,
} from './tree/document-tree.ts';
export {
  type Evaluation,
  evaluateInPieces,
  evaluateTreeInSteps,
  type Includable,
  maxIncludeDepth,
  mayBeEvaluated,
} from './tree/evaluate-tree.ts';
export { readExtents } from './tree/extents.ts';
export { readJsonTree, TreeError } from './tree/json-tree.ts';
export {
  type ParseOptions,
  parseInPieces,
  parseTree,
  parseTreeInSteps,
  renderTree,
  renderTreeInSteps,
} from './tree/parse-tree.ts';
export { readCode } from './tree/published-data.ts';
export type { PublishedDocument } from './tree/published-nodes.ts';
export {
  escapeTags,
  parseForeignBlocks,
  publishForeignText,
  publishTree,
  publishTreeInSteps,
} from './tree/published-tree.ts';
export { getMentions, mapReferences, maxMentions, mayRunCode, type ReferenceOf } from './tree/references.ts';
export { getResult, type TreeSteps } from './tree/steps.ts';
export { prependHeading, replaceTitleHeading } from './write-heading.ts';
