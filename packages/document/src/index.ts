export { ArchiveError } from './archive/archive-error.ts';
export { type Archive, type ArchiveLimits, readArchive } from './archive/read-archive.ts';
export { sourceOfArchive } from './archive/source-of-archive.ts';
export { hasMarkers, keepSide } from './conflict-markers.ts';
export { diffLines, type LineDiff } from './diff-lines.ts';
export { endOfPiece } from './end-of-piece.ts';
export { type Frontmatter, type FrontmatterLayout, readFrontmatter } from './frontmatter.ts';
export type { FrontmatterProblem } from './frontmatter-readers.ts';
export { keptLink, withoutAnchor } from './links/keep-links.ts';
export { type DocumentLink, linksOf, rewriteTargets } from './links/links-of.ts';
export { maxMentions, mentionsOf } from './mentions-of.ts';
export type { TextVersions } from './merge-lines.ts';
export { type Clash, type MergedNode, mergeNode } from './merge-node.ts';
export { holdsFor, type MergeRuleScope, requireReadableRules } from './merge-rules.ts';
export { mergeText } from './merge-text.ts';
export { type MergedNodes, mergeTree, type Place, type Surroundings } from './merge-tree.ts';
export {
  type Json,
  maxPageDepth,
  type Node,
  nodeKey,
  sameDecisions,
  sameJson,
  sameNode,
  type ThreeWay,
  type Undecided,
  type UndecidedField,
} from './node.ts';
export { writeTarget } from './outline/link-address.ts';
export { firstTitle, pageName, titleOfName } from './outline/names.ts';
export { fieldsOfNew, ownSlug } from './outline/new-page.ts';
export { isMarkdown, isOrdinary, type Source, type SourceFile } from './outline/source.ts';
export type { SummaryEntry, SummaryItem } from './outline/summary.ts';
export { treeOfFiles } from './outline/tree-of-files.ts';
export {
  type Problem,
  type Unplaced,
  type Wanted,
  type WantedGroup,
  type WantedLink,
  type WantedPage,
  type WantedTree,
  walkWanted,
} from './outline/wanted.ts';
export { writeSummary } from './outline/write-summary.ts';
export { type Section, sectionsOf } from './sections.ts';
export { nextFreeSlug, slugAllocator, slugify, uniqueSuffix } from './slug.ts';
export { cleanTitle, titleOf } from './title.ts';
export { textKey } from './tree/content-key.ts';
export type { Block, DocumentTree, Inline, TextNode } from './tree/document-tree.ts';
export {
  type Evaluation,
  evaluateInPieces,
  evaluateTree,
  type Includable,
  includesOf,
  maxIncludeDepth,
} from './tree/evaluate-tree.ts';
export { type FoundBlock, followerTo } from './tree/follow-block.ts';
export { parseTree } from './tree/parse-tree.ts';
export { readInPieces } from './tree/read-in-pieces.ts';
export { renderTree } from './tree/render-tree.ts';
export { revertBlocks } from './tree/revert-blocks.ts';
export { TreeError, treeOfJson } from './tree/tree-of-json.ts';
export { formerSides } from './undecided.ts';
export { fieldsOfUnits, unitsOf } from './units.ts';
export { decodeHtml } from './website/decode-html.ts';
export type { NavigationItem } from './website/navigation.ts';
export { readWebPage, type WebPage } from './website/read-web-page.ts';
export { type Robots, readRobots } from './website/robots.ts';
export { readSitemap, type Sitemap, SitemapError } from './website/sitemap.ts';
export { type AddressNode, treeOfAddresses } from './website/tree-of-addresses.ts';
export { WebPageError } from './website/web-page-error.ts';
