import type { Node } from 'prosemirror-model';
import type { Transform } from 'prosemirror-transform';
import { isEmptyBlock, type OpenedBlock, type OpenedPage, openPage, trimTexts } from './page.ts';
import { schema } from './schema.ts';
import { addTitleHeading, findTitleHeading, getHiddenHeading, removeFirstBlock } from './title-heading.ts';

/** Beyond this product of the numbers of blocks, all blocks between the first and the last difference are replaced. */
const maxComparisons = 250_000;

/** Whether two blocks have the same content and attributes, regardless of their origins. */
const isSameBlock = (one: Node, other: Node): boolean =>
  one.type === other.type &&
  one.content.eq(other.content) &&
  JSON.stringify({ ...one.attrs, origin: null }) === JSON.stringify({ ...other.attrs, origin: null });

const trimmedBlocks = new WeakMap<Node, Node>();

/** Returns a block as it is written: a space that was typed at the end of a text is not part of the Markdown. */
function trimBlock(node: Node): Node {
  const trimmed = trimmedBlocks.get(node) ?? trimTexts(node);
  trimmedBlocks.set(node, trimmed);
  return trimmed;
}

/** Returns for each block of `next` the index of the same block in `current`, in ascending order, or undefined. */
function matchBlocks(current: Node[], next: Node[]): (number | undefined)[] {
  const matches: (number | undefined)[] = Array.from({ length: next.length });
  let start = 0;
  while (start < current.length && start < next.length && isSameAt(current, start, next, start)) {
    matches[start] = start;
    start += 1;
  }
  let [currentEnd, nextEnd] = [current.length, next.length];
  while (currentEnd > start && nextEnd > start && isSameAt(current, currentEnd - 1, next, nextEnd - 1)) {
    currentEnd -= 1;
    nextEnd -= 1;
    matches[nextEnd] = currentEnd;
  }
  const pairs = findCommonBlocks(current.slice(start, currentEnd), next.slice(start, nextEnd));
  for (const [currentIndex, nextIndex] of pairs) matches[start + nextIndex] = start + currentIndex;
  return matches;
}

function isSameAt(current: Node[], currentIndex: number, next: Node[], nextIndex: number): boolean {
  const [one, other] = [current[currentIndex], next[nextIndex]];
  return one !== undefined && other !== undefined && (isSameBlock(one, other) || isSameBlock(trimBlock(one), other));
}

/** Returns the pairs of indexes of the longest common subsequence. */
function findCommonBlocks(current: Node[], next: Node[]): [current: number, next: number][] {
  if (current.length * next.length > maxComparisons) return [];
  const width = next.length + 1;
  const lengths = new Uint32Array((current.length + 1) * width);
  const getLength = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = current.length - 1; row >= 0; row -= 1)
    for (let column = next.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] = isSameAt(current, row, next, column)
        ? getLength(row + 1, column + 1) + 1
        : Math.max(getLength(row + 1, column), getLength(row, column + 1));
  const pairs: [number, number][] = [];
  for (let [row, column] = [0, 0]; row < current.length && column < next.length; )
    if (isSameAt(current, row, next, column)) pairs.push([row++, column++]);
    else if (getLength(row + 1, column) >= getLength(row, column + 1)) row += 1;
    else column += 1;
  return pairs;
}

interface PlacedBlock {
  node: Node;
  from: number;
}

function listChildren(parent: Node, start = 0): PlacedBlock[] {
  const children: PlacedBlock[] = [];
  parent.forEach((node, offset) => {
    children.push({ node, from: start + offset });
  });
  return children;
}

const listBlocks = (doc: Node): PlacedBlock[] => listChildren(doc).filter(({ node }) => !isEmptyBlock(node));

/** Blocks and their replacements; either list can be empty. `end` is the position after the block before them. */
interface Gap {
  former: PlacedBlock[];
  added: Node[];
  end: number;
}

function findGaps(current: PlacedBlock[], next: Node[]): Gap[] {
  const matches = matchBlocks(
    current.map(({ node }) => node),
    next,
  );
  const gaps: Gap[] = [];
  let [currentStart, nextStart, end] = [0, 0, current[0]?.from ?? 0];
  for (const [index, match = current.length] of [...matches.entries(), [next.length, undefined] as const]) {
    if (index < next.length && matches[index] === undefined) continue;
    gaps.push({ former: current.slice(currentStart, match), added: next.slice(nextStart, index), end });
    const { node, from = 0 } = current[match] ?? {};
    [currentStart, nextStart, end] = [match + 1, index + 1, from + (node?.nodeSize ?? 0)];
  }
  return gaps;
}

/** Replaces only the part in which two versions of a text differ. Returns false if they are too different. */
function replaceText(transform: Transform, { node, from }: PlacedBlock, next: Node): boolean {
  const start = node.content.findDiffStart(next.content);
  const end = node.content.findDiffEnd(next.content);
  if (start === null || end === null) return false;
  const overlap = Math.max(0, start - Math.min(end.a, end.b));
  transform.replace(from + 1 + start, from + 1 + end.a + overlap, next.slice(start, end.b + overlap));
  return true;
}

/** Replaces a block, if possible only the parts in which it differs. */
function replaceBlock(transform: Transform, block: PlacedBlock, next: Node): void {
  const { node, from } = block;
  if (!node.isLeaf && isSameBlock(node.copy(), next.copy())) {
    if (!node.isTextblock) {
      replaceBlocks(transform, listChildren(node, from + 1), listChildren(next));
      return;
    }
    if (replaceText(transform, block, next)) return;
  }
  transform.replaceWith(from, from + node.nodeSize, next);
}

/**
 * Replaces `former` by `added` blocks in order, and deletes or inserts the rest. Empty paragraphs between them stay.
 */
function fillGap(transform: Transform, { former, added, end }: Gap): void {
  const last = former.at(-1);
  const inserted = added.slice(former.length);
  if (inserted.length > 0) transform.insert(last === undefined ? end : last.from + last.node.nodeSize, inserted);
  for (const [index, block] of [...former.entries()].reverse()) {
    const next = added[index];
    const { from, node } = block;
    if (next !== undefined) replaceBlock(transform, block, next);
    else if (transform.doc.childCount > 1 || transform.doc.firstChild !== node)
      transform.delete(from, from + node.nodeSize);
    else transform.replaceWith(from, from + node.nodeSize, schema.node('paragraph'));
  }
}

/** Replaces the blocks that differ. Replaces later blocks first, so that the positions of earlier ones stay valid. */
function replaceBlocks(transform: Transform, current: PlacedBlock[], next: PlacedBlock[]): void {
  const added = next.map(({ node }) => node);
  for (const gap of findGaps(current, added).reverse()) fillGap(transform, gap);
}

interface ReopenOptions {
  /** The title of the page. A heading that repeats it is not shown. */
  title?: string | undefined;
  /** Whether undo can restore the replaced blocks. */
  isUndoable?: boolean;
}

/** Returns the blocks of a page without those that the editor no longer needs after all shown blocks are replaced. */
function removeReplaced({ blocks }: OpenedPage, before: Node, isUndoable: boolean): Map<number, OpenedBlock> {
  const heading = getHiddenHeading(before);
  const shown = heading === undefined ? before.children : [heading, ...before.children];
  const replaced = new Set(isUndoable ? [] : shown.map(({ attrs }) => attrs.origin as number | null));
  return new Map([...blocks].filter(([origin, { node }]) => node.attrs.origin === origin && !replaced.has(origin)));
}

/**
 * Changes the document of an editor to another Markdown text, and returns the page of this text. Blocks with the same
 * content, and empty paragraphs, stay as they are, so that the cursor in them does not move. A heading that repeats the
 * title is in the document of the returned page, but is not shown in the editor.
 */
export function reopenPage(
  page: OpenedPage,
  markdown: string,
  transform: Transform,
  { title, isUndoable = true }: ReopenOptions = {},
): OpenedPage {
  const blocks = removeReplaced(page, transform.doc, isUndoable);
  const opened = openPage(markdown, page.nextOrigin);
  const heading = findTitleHeading(opened.doc, title);
  const next = listBlocks(heading === undefined ? opened.doc : removeFirstBlock(opened.doc));
  replaceBlocks(transform, listBlocks(transform.doc), next);
  const former = getHiddenHeading(transform.doc);
  const hidden = former !== undefined && heading !== undefined && isSameBlock(former, heading) ? former : heading;
  if (hidden !== former) transform.setDocAttribute('heading', hidden ?? null);
  const doc = addTitleHeading(transform.doc, hidden, title);
  const used = new Set<number>();
  let previous: number | undefined;
  for (const [index, { node }] of listBlocks(doc).entries()) {
    const written = opened.first + index;
    const origin = node.attrs.origin as number | null;
    const block = opened.blocks.get(written);
    const key = origin === null || used.has(origin) ? written : origin;
    if (block !== undefined) blocks.set(key, { ...block, previous, node });
    used.add(key);
    previous = key;
  }
  const [first = opened.nextOrigin] = used;
  return { ...opened, doc, blocks, first };
}
