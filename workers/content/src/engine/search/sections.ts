import { createVisitorScope, evaluate, isReadable, isShownTo } from '@octavo/expression';
import type { Section } from '@octavo/markdown';
import { findPieceEnd, never } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { Claims, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { getPageFields } from '../store/nodes.ts';

const maxSections = 1000;
/** Maximum length of one section of the index and of its heading, in characters. */
const maxPieceLength = 3000;
const maxHeadingLength = 500;

interface IndexedSection {
  anchor: string;
  heading: string;
  text: string;
  conditions: string[];
}

/** The index entry of a page. A page without sections is not found. */
export interface PageSections {
  page: string;
  /** The key of the texts in `search_texts`. */
  key: string;
  title: string;
  /** The conditions that must hold for the page to be visible: its own and those of its ancestors. */
  conditions: string[];
  sections: IndexedSection[];
}

/**
 * Creates the sections of a page. The first section belongs to the title and has only the page's conditions. A long
 * text is split into several sections.
 */
export const createPageSections = ({
  sections,
  ...page
}: Omit<PageSections, 'sections'> & { sections: Section[] }): PageSections => ({
  ...page,
  sections: toPieces(sections, page.conditions),
});

/** Returns the index entry of a page that cannot be found. */
export const createEmptySections = (page: string, conditions: string[] = []): PageSections => ({
  page,
  conditions,
  key: '',
  title: '',
  sections: [],
});

function toPieces(all: Section[], pageConditions: string[]): IndexedSection[] {
  const sections = limitSections(all);
  const [first] = sections;
  const isTitled = first !== undefined && first.conditions === undefined;
  const titledSections: Section[] = isTitled ? sections : [{ anchor: '', level: 0, title: '', text: '' }, ...sections];
  const conditionsIn = createConditionCollector(pageConditions);
  return titledSections.flatMap(({ anchor, title, text: body, conditions }) => {
    const [heading = '', ...overflow] = splitText(title, maxHeadingLength);
    const texts = splitText([...overflow, body].join(' '), maxPieceLength);
    const sectionConditions = conditionsIn(conditions ?? []);
    return texts.map((text, index) => ({
      anchor,
      heading: index === 0 ? heading : '',
      text: text.replace(/\p{Cc}/gu, ' ').normalize('NFC'),
      conditions: sectionConditions,
    }));
  });
}

function splitText(body: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = body;
  do {
    const end = findPieceEnd(rest, limit);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  } while (rest !== '');
  return pieces;
}

/** The words of sections beyond the limit are added to the last section. */
function limitSections(sections: Section[]): Section[] {
  if (sections.length <= maxSections) return sections;
  const overflow = sections.slice(maxSections - 1);
  const [unconditional, others] = [true, false].map((isFree) =>
    overflow.filter(({ conditions }) => (conditions === undefined) === isFree),
  );
  return [...sections.slice(0, maxSections - 1), ...joinSections(unconditional), ...joinSections(others, [never])];
}

function joinSections(sections: Section[] = [], conditions?: string[]): Section[] {
  const [first, ...others] = sections;
  if (first === undefined) return [];
  const text = [first.text, ...others.map(({ title, text }) => `${title} ${text}`)].join(' ');
  return [{ ...first, text, ...(conditions && { conditions }) }];
}

/**
 * Conditions of a section are stored as texts with a prefix: `=` for the condition of a page, `+` for a condition in
 * the text that must hold, `-` for a condition in the text that must not hold. The text `!` is a condition that never
 * holds for visitors, and `noIndexMark` a condition that never holds, even for members.
 */
export const noIndexMark = '0';

/** The condition and `noIndex` of a page. */
export type Restriction = [condition: string | null, noIndex: boolean | number | null];

export function getRestriction(node: Node): Restriction {
  const { condition, noIndex } = getPageFields(node);
  return [condition ?? null, noIndex ?? null];
}

/** Returns the conditions of a page from its restrictions and those of its ancestors. */
export const toPageConditions = (restrictions: Restriction[]): string[] => [
  ...new Set(
    restrictions.flatMap(([condition, noIndex]) => [
      ...(condition === null ? [] : [`=${condition}`]),
      ...(noIndex ? [noIndexMark] : []),
    ]),
  ),
];

/**
 * Limits of conditions. Per section: the number of conditions and their total length in characters. Per page: the
 * number and the total length of distinct conditions, and the number of their combinations. The header of a segment
 * contains all conditions.
 */
const maxConditionsPerSection = 32;
const maxLengthPerSection = 4096;
const maxConditionsPerPage = 200;
const maxLengthPerPage = 32_768;
const maxCombinationsPerPage = 100;

/**
 * Returns a function that adds the page's conditions to those of a section. A section that exceeds a limit is never
 * shown.
 */
function createConditionCollector(pageConditions: string[]): (ofSection: string[]) => string[] {
  const collected = new Set(pageConditions);
  const combinations = new Set<string>();
  return (ofSection) => {
    const all = [...new Set([...pageConditions, ...ofSection])];
    const known = new Set([...collected, ...all]);
    const combination = JSON.stringify(all);
    const isWithinLimits =
      all.length <= maxConditionsPerSection &&
      getLength(all) <= maxLengthPerSection &&
      known.size <= maxConditionsPerPage &&
      getLength(known) <= maxLengthPerPage &&
      (combinations.has(combination) || combinations.size < maxCombinationsPerPage);
    if (!isWithinLimits) return [never];
    for (const each of all) collected.add(each);
    combinations.add(combination);
    return all;
  };
}

const getLength = (conditions: Iterable<string>): number => {
  let length = 0;
  for (const each of conditions) length += each.length;
  return length;
};

/**
 * Whether a visitor with these claims meets a condition. Conditions that may use variables count as not met, because
 * the index does not contain the variables of spaces and pages.
 */
export function isTrue(condition: string, claims: Claims): boolean {
  const [kind, source] = [condition.charAt(0), condition.slice(1)];
  if (kind === '=') return isReadable(source, ['visitor']) && isShownTo(source, claims);
  if (kind === never || mayNameVariables(source)) return false;
  return Boolean(evaluate(source, createVisitorScope(claims)).value) === (kind === '+');
}

/** Whether a condition may name variables, which the index does not have. */
const mayNameVariables = (source: string): boolean =>
  !isReadable(source, ['visitor']) &&
  (isReadable(source, ['space', 'page', 'visitor']) || /\b(?:space|page)\b/.test(source));

/** Returns the SQL condition that the space exists and is not being purged. */
export const isSearchable = (space: SpaceId | SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND purging_at IS NULL)`;
