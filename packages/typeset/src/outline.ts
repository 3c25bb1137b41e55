import type { Paper, Place } from './paper.ts';
import type { Reference } from './pdfkit.ts';

interface Item {
  title: string;
  depth: number;
  to: Place | { url: string } | undefined;
}

interface Branch {
  reference: Reference;
  depth: number;
  children: Branch[];
  /** All that is below. */
  size: number;
}

const MAX_ITEMS = 20_000;
/** What an item takes, as characters. */
const ITEM = 20;

/** The PDF's bookmarks, in reading order. */
export class Outline {
  readonly #items: Item[] = [];

  add(item: Item): void {
    if (this.#items.length < MAX_ITEMS) this.#items.push(item);
  }

  async write({ pdf, turns }: Paper): Promise<void> {
    if (this.#items.length === 0) return;
    const root: Branch = { reference: pdf.ref({ Type: 'Outlines' }), depth: -1, children: [], size: 0 };
    const open = [root];
    for (const { title, depth, to } of this.#items) {
      while ((open.at(-1)?.depth ?? -1) >= depth && open.length > 1) open.pop();
      const parent = open.at(-1) ?? root;
      const data: Record<string, unknown> = { Title: new String(title), Parent: parent.reference };
      if (to !== undefined && 'url' in to) data.A = { S: 'URI', URI: new String(to.url) };
      else if (to !== undefined) data.Dest = [to.page, 'XYZ', null, to.y, null];
      const branch = { reference: pdf.ref(data), depth, children: [], size: 0 };
      parent.children.push(branch);
      for (const above of open) above.size += 1;
      open.push(branch);
      await turns.next(ITEM);
    }
    await turns.run(finish(root, true), ITEM);
    pdf._root.data.Outlines = root.reference;
    pdf._root.data.PageMode = 'UseOutlines';
  }
}

/** Ties the items of a branch together; all but the topmost are folded. */
function* finish({ reference, children, size }: Branch, isRoot: boolean): Generator<undefined, void> {
  if (children.length > 0) {
    reference.data.First = children[0]?.reference;
    reference.data.Last = children.at(-1)?.reference;
    reference.data.Count = isRoot ? children.length : -size;
  }
  for (const [index, child] of children.entries()) {
    if (index > 0) child.reference.data.Prev = children[index - 1]?.reference;
    if (index < children.length - 1) child.reference.data.Next = children[index + 1]?.reference;
    yield* finish(child, false);
  }
  reference.end();
  yield;
}
