const MAX_SLUG_LENGTH = 100;
const MAX_TITLE_LENGTH = 10_000;
const PLAIN_SLUG = /^[a-z\d]{1,100}$/;
const DIACRITICS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]/gu;
const SEPARATORS = /(?:^|[^\p{L}\p{N}\p{M}])[^\p{L}\p{N}]*/gu;

/**
 * Returns lower-case letters and digits of any script joined by single hyphens, 1 to 100 UTF-16 units; 'page' for an
 * empty text.
 */
export function slugify(title: string): string {
  if (PLAIN_SLUG.test(title)) return title;
  const letters = title.slice(0, MAX_TITLE_LENGTH).normalize('NFKD').toLowerCase().replace(DIACRITICS, '');
  const words = letters.normalize('NFC').replace(SEPARATORS, '-').replace(/^-/, '');
  return truncateSlug(words, MAX_SLUG_LENGTH) || 'page';
}

/** The slugs that are in use. */
type Slugs = Pick<ReadonlySet<string>, 'has'>;

/**
 * Returns the slug if it is free, otherwise the first free slug with a number (`slug-2`, `slug-3`), of at most 100
 * UTF-16 units. Pass `unique` if `takenSlugs` may be incomplete: instead of a number, this text is then added to a
 * taken slug.
 */
export function findFreeSlug(slug: string, takenSlugs: Slugs, unique?: string): string {
  if (unique === undefined || !takenSlugs.has(slug)) return findFirstFree(slug, takenSlugs, 1).slug;
  return `${truncateSlug(slug, MAX_SLUG_LENGTH - unique.length - 1)}-${unique}`;
}

/** Returns 8 letters and digits of a page's random id, which make its slug unique. */
export const getUniqueSuffix = (id: string): string => id.slice(-8).toLowerCase();

/** Returns a function that makes slugs unique with `findFreeSlug`. */
export function createSlugAllocator(existingSlugs: Iterable<string> = []): (slug: string) => string {
  const takenSlugs = new Set(existingSlugs);
  const nextNumbers = new Map<string, number>();
  return (preferredSlug) => {
    const { slug, number } = findFirstFree(preferredSlug, takenSlugs, nextNumbers.get(preferredSlug) ?? 1);
    takenSlugs.add(slug);
    nextNumbers.set(preferredSlug, number + 1);
    return slug;
  };
}

function findFirstFree(slug: string, takenSlugs: Slugs, first: number): { slug: string; number: number } {
  for (let number = first; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const candidate = truncateSlug(slug, MAX_SLUG_LENGTH - suffix.length) + suffix;
    if (!takenSlugs.has(candidate)) return { slug: candidate, number };
  }
}

function truncateSlug(text: string, length: number): string {
  const cut = text.length > length && isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length;
  return text.slice(0, cut).replace(/(?<=.)-$/, '');
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The text and explicit ids of a heading. */
export interface NamedHeading {
  text: string;
  level: number;
  ids: readonly string[];
  /** Whether all readers see the heading. Default: true. */
  isFree?: boolean;
}

/**
 * Returns the id of each heading: its first explicit id that no earlier heading has, else the slug of its text.
 * Headings of level 1 to 3 get their slugs first. A restricted heading never gets a slug that a heading which all
 * readers see would have. Other elements (level 0) without a free id get ''.
 */
export function assignHeadingIds(headings: readonly NamedHeading[]): string[] {
  const idsByHeading = new Map<NamedHeading, string>();
  const takenIds = new Set<string>();
  for (const heading of headings) {
    const ownId = heading.ids.find((id) => !takenIds.has(id));
    if (ownId === undefined) continue;
    takenIds.add(ownId);
    idsByHeading.set(heading, ownId);
  }
  const rest = headings.filter((heading) => !idsByHeading.has(heading) && heading.level > 0);
  const nextSlug = createSlugAllocator(takenIds);
  for (const rank of [0, 1, 2, 3])
    for (const heading of rest)
      if (getRank(heading) === rank) idsByHeading.set(heading, nextSlug(slugify(heading.text)));
  return headings.map((heading) => idsByHeading.get(heading) ?? '');
}

const getRank = ({ level, isFree = true }: NamedHeading): number => (level > 3 ? 2 : 0) + (isFree ? 0 : 1);

/** Returns GitHub's ids of headings: lower case without punctuation, with `-1`, `-2` for duplicates. */
export function createGitHubIds(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return texts.map((text) => {
    const slug = createGitHubSlug(text);
    let id = slug;
    for (let count = counts.get(slug) ?? 0; count > 0 && counts.has(id); count += 1) {
      id = `${slug}-${count}`;
      counts.set(slug, count + 1);
    }
    if (!counts.has(id)) counts.set(id, 1);
    return id;
  });
}

const MAX_TEXT_LENGTH = 1024;

const createGitHubSlug = (text: string): string =>
  text
    .slice(0, MAX_TEXT_LENGTH)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
    .replace(/\s/g, '-');

/** Number of characters of an anchor that are compared. */
export const maxAnchorLength = 1000;

/** Returns the names under which the anchor of a link may be stored; empty if browsers or applications interpret it. */
export function getAnchorNames(anchor: string): string[] {
  const decoded = decodeAnchor(anchor.slice(0, maxAnchorLength)).replace(/:~:.*$/s, '');
  if (decoded === '' || decoded === 'top' || /[/!?=&]/.test(decoded)) return [];
  return [...new Set([decoded, decoded.toLowerCase(), slugify(decoded)])].filter((name) => !/\s/.test(name));
}

export function decodeAnchor(text: string): string {
  try {
    return decodeURIComponent(text).toWellFormed();
  } catch {
    return text;
  }
}

const normalizeTitle = (title: string): string => {
  const words = title.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu);
  return words === null ? title.trim() : words.join(' ');
};

/**
 * Whether two titles are equal except for case and punctuation, as titles in a table of contents and in headings often
 * are.
 */
export const isSameTitle = (one: string, other: string | undefined): boolean =>
  other !== undefined && normalizeTitle(one) === normalizeTitle(other);
