export { hasMarkers, keepSide } from './conflict-markers.ts';
export { diffLines } from './diff-lines.ts';
export { type FoundBlock, followerTo } from './follow-block.ts';
export { type Clash, keptAnchor, keptLink, type MergedNode, mergeNode } from './merge-node.ts';
export { type MergedNodes, mergeTree, type PlacedNode, type TreeSurroundings } from './merge-tree.ts';
export {
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
export { revertBlocks } from './revert-blocks.ts';
export { fieldsOfUnits, formerSides, unitsOf } from './undecided.ts';
