import type { Node } from 'prosemirror-model';
import type { Transaction } from 'prosemirror-state';

/** A block, or a position in one, that is found again when the block is moved, deleted and restored, or pasted. */
export interface BlockAnchor {
  block: Node;
  /** The position of the block; undefined while the document does not contain it. */
  start: number | undefined;
  /** The distance from the start of the block, which is 0 for the block itself. */
  offset: number;
}

/** Returns the current position of an anchor; undefined while the document does not contain its block. */
export const findAnchor = ({ start, offset }: BlockAnchor): number | undefined =>
  start === undefined ? undefined : start + offset;

/** Creates the anchor of the block at a position. */
export const anchorBlock = (block: Node, start: number): BlockAnchor => ({ block, start, offset: 0 });

/** Creates the anchor of a position in a text. */
export function anchorPosition(doc: Node, position: number): BlockAnchor {
  const $position = doc.resolve(position);
  const start = $position.depth === 0 ? -1 : $position.before();
  return { block: $position.parent, start, offset: position - start };
}

/**
 * Returns an anchor after a transaction. `side` is the side on which the position stays if something is inserted at it:
 * -1 before and 1 after the insertion.
 */
export function followAnchor(anchor: BlockAnchor, tr: Transaction, side: -1 | 1 = 1): BlockAnchor {
  if (!tr.docChanged) return anchor;
  const { block, offset } = anchor;
  const start = anchor.start === undefined ? undefined : tr.mapping.map(anchor.start, 1);
  const same = findNode(tr.doc, block, start);
  if (same !== undefined) return { block, start: same, offset };
  if (anchor.start === undefined || start === undefined) return anchorPasted(anchor, tr);
  if (offset > 0) {
    const { pos, deletedAcross } = tr.mapping.mapResult(anchor.start + offset, side);
    return deletedAcross ? { ...anchor, start: undefined } : anchorPosition(tr.doc, pos);
  }
  const changed = tr.doc.nodeAt(start);
  // If this block already existed before the transaction, it is not a changed version of the anchored block.
  return changed?.type === block.type && findNode(tr.before, changed) === undefined
    ? anchorBlock(changed, start)
    : anchorPasted(anchor, tr);
}

/** Returns the position of a node, which is probably at `expected`. */
function findNode(doc: Node, node: Node, expected = -1): number | undefined {
  if (expected >= 0 && doc.nodeAt(expected) === node) return expected;
  let found: number | undefined;
  doc.descendants((each, position) => {
    if (each === node) found = position;
    return found === undefined && !each.isTextblock;
  });
  return found;
}

/** Returns the anchor of a block that was cut before and is pasted by a transaction. */
function anchorPasted({ block, offset }: BlockAnchor, tr: Transaction): BlockAnchor {
  let pasted: BlockAnchor = { block, offset, start: undefined };
  if (offset > 0 || tr.getMeta('uiEvent') === undefined) return pasted;
  for (const [index, map] of tr.mapping.maps.entries())
    map.forEach((_from, _to, from, to) => {
      const later = tr.mapping.slice(index + 1);
      const start = later.map(from, -1);
      tr.doc.nodesBetween(start, later.map(to, 1), (node, position) => {
        if (position >= start && hasSameText(node, block)) pasted = anchorBlock(node, position);
      });
    });
  return pasted;
}

const hasSameText = (one: Node, other: Node): boolean =>
  one.type === other.type &&
  one.textContent === other.textContent &&
  JSON.stringify(one.attrs.data.ref) === JSON.stringify(other.attrs.data.ref);
