export {
  type Conflict,
  findFreeMarkerLength,
  hasMarkers,
  revertBlocks,
  selectSide,
  splitConflicts,
} from './conflict-markers.ts';
export { diffBlocks } from './diff-blocks.ts';
export { diffLines } from './diff-lines.ts';
export { diffWords, splitWords, type WordDifference } from './diff-words.ts';
export { createFollower, type FoundBlock } from './follow-block.ts';
export { createLineNumbering, matchLines } from './lines.ts';
export { mergeLines, mergeWords } from './merge-lines.ts';

export {
  type FieldConflict,
  getRecordedLink,
  getRenamedAnchor,
  type MergedNode,
  mergeNode,
  restoreFormerSides,
  toFields,
  toUnits,
} from './merge-node.ts';
export { type MergedNodes, mergeTree, type TreeNode, type TreeSurroundings } from './merge-tree.ts';
export {
  getNodeKey,
  hasSameDecisions,
  isSameJson,
  isSameNode,
  maxPageDepth,
  type Node,
  type ThreeWay,
  type Undecided,
  type UndecidedField,
} from './node.ts';
export {
  findBlockSource,
  findUnchangedBlock,
  getBlockSource,
  parseSourcesInSteps,
  replaceBlock,
} from './replace-block.ts';
