import type { Flow } from './flow.ts';
import type { Outline } from './outline.ts';

const MAX_LISTED = 60;

/** The headings of a page, named so that links find them whichever comes first. */
export class Headings {
  readonly #page: number;
  readonly #depth: number;
  readonly #outline: Outline;
  readonly #counts = new Map<string, number>();
  #listed = 0;

  /** `page` is its place in the order, `depth` that in the tree. */
  constructor(outline: Outline, { page, depth }: { page: number; depth: number }) {
    this.#outline = outline;
    this.#page = page;
    this.#depth = depth;
  }

  /** The name of the page's own place. */
  get pageName(): string {
    return nameOf(this.#page);
  }

  /** Gives the heading that is set next its name and its place among the bookmarks. */
  place({ paper, y }: Flow, { text, level }: { text: string; level: number }): void {
    const slug = slugOf(text);
    const count = this.#counts.get(slug) ?? 0;
    this.#counts.set(slug, count + 1);
    const name = nameOf(this.#page, count === 0 ? slug : `${slug}-${count}`);
    paper.name(name, y - 6);
    if (level > 2 || text.trim() === '' || this.#listed >= MAX_LISTED) return;
    this.#listed += 1;
    this.#outline.add({ title: text.slice(0, 200), depth: this.#depth + level, to: paper.placeOf(name) });
  }
}

/** The name of a page's place, or of one of its headings. */
export const nameOf = (page: number, anchor = ''): string =>
  `n${String(page).padStart(8, '0')}${anchor === '' ? '' : `x${hash(anchor)}`}`;

export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]+/gu, '')
    .trim()
    .replace(/\s+/g, '-');

/** 64 bits of FNV-1a, as two halves with different starts. */
function hash(text: string): string {
  let [one, two] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x5bd1e995);
  }
  return [one, two].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
