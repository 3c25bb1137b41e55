import { maxTitleLength, PageTitle } from '@octavo/schema';
import { blocksOf } from './blocks.ts';
import { readFrontmatter } from './frontmatter.ts';
import { heroOf } from './hero.ts';
import { endOfPiece, plainHtml, plainText } from './plain-text.ts';

/** A title further down than this is none: keeps hostile input short. */
const MAX_SEARCHED_LENGTH = 64 * 1024;

/** A heading that a text opens with, whose title no other line has a say in: it names no label. */
const OPENING_HEADING = /^(?:[ \t]*\n)* {0,3}#{1,6}[^[\r\n]*(?:\n|$)/;

/**
 * The title that the first heading (ATX or setext, any level) of the top level after the frontmatter makes, or that the
 * frontmatter of a home page shows.
 */
export function titleOf(markdown: string): string | undefined {
  const { bodyOffset } = readFrontmatter(markdown);
  const body = markdown.slice(bodyOffset);
  const searched = body.slice(0, endOfPiece(body, MAX_SEARCHED_LENGTH));
  const [opening = ''] = OPENING_HEADING.exec(searched) ?? [];
  return firstTitleIn(opening) ?? firstTitleIn(searched) ?? (cleanTitle(heroOf(markdown)?.title ?? '') || undefined);
}

function firstTitleIn(body: string): string | undefined {
  if (body === '') return undefined;
  const { blocks, labels } = blocksOf(body);
  for (const block of blocks) {
    if (block.kind !== 'heading') continue;
    const title = cleanTitle(block.isHtml ? plainHtml(block.source) : plainText(block.source, labels));
    if (title !== '') return title;
  }
  return undefined;
}

/** A page's title from any text, '' where it has nothing to read. What is a title already stays exactly as it is. */
export function cleanTitle(text: string): string {
  if (PageTitle.safeParse(text).success) return text;
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = Array.from(line.slice(0, 2 * maxTitleLength)).slice(0, maxTitleLength);
  return characters.join('').trimEnd().toWellFormed();
}

const MAX_SLUG_LENGTH = 100;
const MAX_TITLE_LENGTH = 10_000;
const PLAIN_SLUG = /^[a-z\d]{1,100}$/;
const DIACRITICS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]/gu;
const SEPARATORS = /(?:^|[^\p{L}\p{N}\p{M}])[^\p{L}\p{N}]*/gu;

/** Lower-case letters and digits of any script joined by single hyphens, 1 to 100 UTF-16 units; 'page' when empty. */
export function slugify(title: string): string {
  if (PLAIN_SLUG.test(title)) return title;
  const letters = title.slice(0, MAX_TITLE_LENGTH).normalize('NFKD').toLowerCase().replace(DIACRITICS, '');
  const words = letters.normalize('NFC').replace(SEPARATORS, '-').replace(/^-/, '');
  return cutAt(words, MAX_SLUG_LENGTH) || 'page';
}

/**
 * The slug itself, or its first free form slug-2, slug-3 ... within 100 UTF-16 units. `unique` is given where more forms
 * are taken than `taken` tells: it follows a taken slug in place of a number.
 */
export function nextFreeSlug(slug: string, taken: ReadonlySet<string>, unique?: string): string {
  if (unique === undefined || !taken.has(slug)) return firstFree(slug, taken, 1).slug;
  return `${cutAt(slug, MAX_SLUG_LENGTH - unique.length - 1)}-${unique}`;
}

/** What tells a page's slug from all others: 8 letters and digits of its id, which is random. */
export const uniqueSuffix = (id: string): string => id.slice(-8).toLowerCase();

/** A function that gives each slug once: the slug itself, or its first free form as by `nextFreeSlug`. */
export function slugAllocator(given: Iterable<string> = []): (slug: string) => string {
  const taken = new Set(given);
  const nextNumbers = new Map<string, number>();
  return (wanted) => {
    const { slug, number } = firstFree(wanted, taken, nextNumbers.get(wanted) ?? 1);
    taken.add(slug);
    nextNumbers.set(wanted, number + 1);
    return slug;
  };
}

function firstFree(slug: string, taken: ReadonlySet<string>, first: number): { slug: string; number: number } {
  for (let number = first; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const candidate = cutAt(slug, MAX_SLUG_LENGTH - suffix.length) + suffix;
    if (!taken.has(candidate)) return { slug: candidate, number };
  }
}

function cutAt(text: string, length: number): string {
  const cut = text.length > length && isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length;
  return text.slice(0, cut).replace(/(?<=.)-$/, '');
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** A heading as far as its ids follow from it: its text, and those that are written for it. */
export interface NamedHeading {
  text: string;
  level: number;
  ids: readonly string[];
  /** Whether everybody is shown it; they are without it. */
  isFree?: boolean;
}

/**
 * The id of each heading: the first that is written for it and that none before it has, else the slug of its text. Slugs
 * are given to headings of level 1 to 3 first, and what not everybody is shown takes none from what everybody is. What is
 * no heading (level 0) and has no free id has none: ''.
 */
export function placeIds(headings: readonly NamedHeading[]): string[] {
  const placed = new Map<NamedHeading, string>();
  const taken = new Set<string>();
  for (const heading of headings) {
    const own = heading.ids.find((id) => !taken.has(id));
    if (own === undefined) continue;
    taken.add(own);
    placed.set(heading, own);
  }
  const rest = headings.filter((each) => !placed.has(each) && each.level > 0);
  const nextSlug = slugAllocator(taken);
  for (const rank of [0, 1, 2, 3])
    for (const heading of rest) if (rankOf(heading) === rank) placed.set(heading, nextSlug(slugify(heading.text)));
  return headings.map((each) => placed.get(each) ?? '');
}

const rankOf = ({ level, isFree = true }: NamedHeading): number => (level > 3 ? 2 : 0) + (isFree ? 0 : 1);

/** The ids that GitHub gives headings: lower case without punctuation, and `-1`, `-2` behind those that are taken. */
export function githubIds(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return texts.map((text) => {
    const slug = githubSlug(text);
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

const githubSlug = (text: string): string =>
  text
    .slice(0, MAX_TEXT_LENGTH)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
    .replace(/\s/g, '-');
