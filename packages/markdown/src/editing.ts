/**
 * The functions that an editor needs. They are not imported from `index.ts`, because bundlers would then load the parser
 * with every script that imports anything from there.
 */
export {
  type Block,
  createBlock,
  type DocumentTree,
  getTextAt,
  type Inline,
  isBlock,
  type TextNode,
  type TreeData,
} from './tree/document-tree.ts';
export { copyMarkerFromSource } from './tree/markup.ts';
export { parseTree } from './tree/parse-tree.ts';
export { renderBlocks } from './tree/render-blocks.ts';
