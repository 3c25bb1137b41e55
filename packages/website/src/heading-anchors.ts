import { slugify } from '@octavo/markdown';
import { type Element, getAttribute, getChildElements, getElements, getLine, isElement } from './html-tree.ts';
import { isPermalink } from './page-title.ts';

const maxIdLength = 200;
const plainId = /^[\p{L}\p{N}_.:-]+$/u;

/**
 * Returns the ID that links use for a heading: its own ID, the ID of an element in it, or the ID of the section that it
 * starts.
 */
export function getHeadingId(heading: Element, holder: Element | undefined): string | undefined {
  const ownId = getId(heading);
  if (ownId !== undefined) return ownId;
  for (const node of getElements(heading)) {
    const id = getId(node) ?? (node.tagName === 'a' ? clean(getAttribute(node, 'name')) : undefined);
    if (id !== undefined) return id;
    if (isPermalink(node)) return clean(getAttribute(node, 'href')?.replace(/^[^#]*#?/s, ''));
  }
  const first = holder && getChildElements(holder).find((element) => getLine(element) !== '');
  const isPart = holder?.tagName === 'section' || holder?.tagName === 'div';
  return isPart && first === heading ? getId(holder) : undefined;
}

const getId = (node: Element): string | undefined => clean(getAttribute(node, 'id'));

function clean(id: string | undefined): string | undefined {
  const plain = id?.replace(/^user-content-/, '');
  return plain !== undefined && plain.length <= maxIdLength && plainId.test(plain) ? plain : undefined;
}

/** Decides which IDs must be written: those that neither Octavo's rules nor GitHub's derive from the heading's text. */
export class HeadingIds {
  readonly #takenIds = new Set<string>();
  readonly #counts = new Map<string, number>();

  /**
   * Returns the suffix that preserves a heading's ID. Returns an empty string if the ID already follows from the text.
   */
  createSuffix(text: string, id: string | undefined): string {
    const [slug, github] = [slugify(text), createGitHubSlug(text)];
    const count = this.#counts.get(github) ?? 0;
    this.#counts.set(github, count + 1);
    const ownIds = [...(this.#takenIds.has(slug) ? [] : [slug]), count === 0 ? github : `${github}-${count}`];
    const isIdKept = id !== undefined && !ownIds.includes(id) && !this.#takenIds.has(id);
    for (const each of ownIds) this.#takenIds.add(each);
    if (!isIdKept) return '';
    this.#takenIds.add(id);
    return ` {#${id}}`;
  }
}

/** Returns the ID that GitHub gives a heading in rendered pages. */
const createGitHubSlug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

/** Returns the ID of an element that is only an anchor. */
export function getAnchorId(node: Element): string | undefined {
  if (node.tagName !== 'a' && node.tagName !== 'span') return undefined;
  if (getAttribute(node, 'href') !== undefined || node.children.some((each) => isElement(each) || !isBlank(each)))
    return undefined;
  return getId(node) ?? (node.tagName === 'a' ? clean(getAttribute(node, 'name')) : undefined);
}

const isBlank = (node: Element['children'][number]): boolean => node.type === 'text' && node.value.trim() === '';
