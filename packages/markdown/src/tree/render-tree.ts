import { isUnchanged } from './content-key.ts';
import { type Block, type DocumentTree, isBlock, markupOf, textAt } from './document-tree.ts';
import { renderBlocks } from './render-blocks.ts';
import { asWritten } from './render-list.ts';

const MAX_DEPTH = 250;

/**
 * The markdown of a tree: a block of the top level that is as it was read gives its source, every other its plain form.
 * Throws when the tree nests deeper than any text can say.
 */
export function renderTree(tree: DocumentTree): string {
  checkDepth(tree.nodes);
  const frontmatter = textAt(tree.data, 'frontmatter') ?? '';
  let text = '';
  let previous: Block | undefined;
  for (const node of tree.nodes) {
    const source = markupOf(node.data, 'source');
    const rendered = typeof source === 'string' && isUnchanged(node) ? source : renderBlocks([node], previous);
    const before = markupOf(node.data, 'before');
    if (rendered === '' && before === undefined && source === undefined) continue;
    text += `${typeof before === 'string' ? before : previous === undefined ? '' : '\n\n'}${rendered}`;
    previous = asWritten(node, rendered);
  }
  const after = markupOf(tree.data, 'after');
  const whole = text + (typeof after === 'string' ? after : previous === undefined ? '' : '\n');
  return frontmatter + (markupOf(tree.data, 'lineEnd') === '\r\n' ? whole.replaceAll('\n', '\r\n') : whole);
}

/** Without recursion: a tree may come from anywhere. */
function checkDepth(nodes: DocumentTree['nodes']): void {
  let level: DocumentTree['nodes'][number]['nodes'] = nodes;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new RangeError(`A document nests at most ${MAX_DEPTH} deep.`);
    level = level.flatMap((node) => (isBlock(node) || node.object === 'inline' ? node.nodes : []));
  }
}
