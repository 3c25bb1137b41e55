import type { Flow } from './flow.ts';
import type { Paper, PaperPosition } from './paper.ts';
import type { Reference } from './pdfkit.ts';

const MAX_LISTED = 60;

/**
 * The headings of a page. Their destination names do not depend on other pages, so that a link can be typeset before its
 * target.
 */
export class Headings {
  readonly #page: number;
  readonly #depth: number;
  readonly #outline: Outline;
  readonly #counts = new Map<string, number>();
  #listedCount = 0;

  /** `page` is the index in reading order, `depth` the depth in the tree. */
  constructor(outline: Outline, { page, depth }: { page: number; depth: number }) {
    this.#outline = outline;
    this.#page = page;
    this.#depth = depth;
  }

  /** The destination name of the page. */
  get pageName(): string {
    return getName(this.#page);
  }

  /** Adds the next heading as a destination and a bookmark. */
  addHeading({ paper, y }: Flow, { text, level }: { text: string; level: number }): void {
    const slug = getSlug(text);
    const count = this.#counts.get(slug) ?? 0;
    this.#counts.set(slug, count + 1);
    const name = getName(this.#page, count === 0 ? slug : `${slug}-${count}`);
    paper.addNamedPosition(name, y - 6);
    if (level > 2 || text.trim() === '' || this.#listedCount >= MAX_LISTED) return;
    this.#listedCount += 1;
    this.#outline.add({ title: text.slice(0, 200), depth: this.#depth + level, to: paper.placeOf(name) });
  }
}

/** Returns the destination name of a page or of one of its headings. */
export const getName = (page: number, anchor = ''): string =>
  `n${String(page).padStart(8, '0')}${anchor === '' ? '' : `x${computeHash(anchor)}`}`;

export const getSlug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]+/gu, '')
    .trim()
    .replace(/\s+/g, '-');

/** 64-bit FNV-1a hash, as two halves with different offsets. */
function computeHash(text: string): string {
  let [one, two] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x5bd1e995);
  }
  return [one, two].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

interface Item {
  title: string;
  depth: number;
  to: PaperPosition | { url: string } | undefined;
}

interface Branch {
  reference: Reference;
  depth: number;
  children: Branch[];
  /** The number of descendants. */
  size: number;
}

const MAX_ITEMS = 20_000;
/** The cost of an item in characters. */
const ITEM = 20;

/** The PDF's bookmarks in reading order. */
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
      for (const ancestor of open) ancestor.size += 1;
      open.push(branch);
      await turns.countWork(ITEM);
    }
    await turns.run(finish(root, true), ITEM);
    pdf._root.data.Outlines = root.reference;
    pdf._root.data.PageMode = 'UseOutlines';
  }
}

/** Links the items of a branch. All but the top level are collapsed. */
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
