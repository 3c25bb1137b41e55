export { hasMarkers, revertBlocks, selectSide } from './conflict-markers.ts';
export { diffLines } from './diff-lines.ts';
export { createFollower, type FoundBlock } from './follow-block.ts';
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
