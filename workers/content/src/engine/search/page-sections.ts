import type { Section } from '@octavo/markdown';
import { endOfPiece, never } from '@octavo/markdown';
import { boundedConditions, marksOf, tokensOf } from './section-conditions.ts';
import { separateCharacters } from './words.ts';

const maxSections = 1000;
/** How much text one section of the index holds: its words are found together, and it is what a search reads of it. */
export const maxPieceLength = 3000;
const maxHeadingLength = 500;

type SectionRow = [
  page: string,
  ordinal: number,
  id: number,
  anchor: string,
  title: string,
  heading: string,
  body: string,
  conditions: string,
  tokens: string,
];

/** What the index holds of a page: its sections, and what stands there for each of their conditions. */
export interface PageSections {
  page: string;
  /** What must hold for the page to be shown, of its own and of what is above it. */
  conditions: string[];
  sections: SectionRow[];
  tokens: Map<string, string>;
}

interface IndexedText {
  title: string;
  conditions: string[];
  sections: Section[];
}

/**
 * The sections of a page. The page's title stands in the first only, so that it does not count for every one, and under no
 * conditions but the page's; a long text goes into several rows, for a row of the database has its limit.
 */
export async function sectionsOfPage(
  page: string,
  { title, conditions, sections }: IndexedText,
): Promise<PageSections> {
  const pieces = piecesOf(sections, conditions);
  const tokens = await tokensOf(pieces.flatMap((piece) => piece.conditions));
  const indexed = separateCharacters(title);
  const rows = pieces.map(({ anchor, heading, text, conditions: all }, index): SectionRow => {
    const [stored, marks] = all.length === 0 ? ['', ''] : [JSON.stringify(all), marksOf(all, tokens)];
    return [page, index, idOf(index), anchor, index === 0 ? indexed : '', heading, text, stored, marks];
  });
  return { page, conditions, sections: rows, tokens };
}

/** A page of which nothing is found. */
export const withoutSections = (page: string): PageSections => ({
  page,
  conditions: [],
  sections: [],
  tokens: new Map(),
});

function piecesOf(all: Section[], ofPage: string[]) {
  const sections = bounded(all);
  const [first] = sections;
  const isTitled = first !== undefined && first.conditions === undefined;
  const titled: Section[] = isTitled ? sections : [{ anchor: '', level: 0, title: '', text: '' }, ...sections];
  const conditionsIn = boundedConditions(ofPage);
  return titled.flatMap(({ anchor, title: whole, text: body, conditions }) => {
    const [heading = '', ...beyond] = cutTo(separateCharacters(whole), maxHeadingLength);
    const texts = cutTo([...beyond, separateCharacters(body)].join(' '), maxPieceLength);
    const needed = conditionsIn(conditions ?? []);
    return texts.map((text, index) => ({ anchor, heading: index === 0 ? heading : '', text, conditions: needed }));
  });
}

/**
 * A search reads the index in the order of the ids, and ends soon: the first sections of all pages come before the second,
 * so that no long page hides the others, and mixed, so that no space does. An id that is taken becomes the next one; where
 * another page has that too, the write fails, and its job is done again.
 */
const idOf = (ordinal: number): number => ordinal * 2 ** 32 + (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0);

function cutTo(body: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = body;
  do {
    const end = endOfPiece(rest, limit);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  } while (rest !== '');
  return pieces;
}

/** The words beyond the most sections of a page count for the last of them: a page of headings alone stays cheap. */
function bounded(sections: Section[]): Section[] {
  if (sections.length <= maxSections) return sections;
  const beyond = sections.slice(maxSections - 1);
  const [free, others] = [true, false].map((isFree) =>
    beyond.filter(({ conditions }) => (conditions === undefined) === isFree),
  );
  return [...sections.slice(0, maxSections - 1), ...joined(free), ...joined(others, [never])];
}

/** Sections as one. */
function joined(sections: Section[] = [], conditions?: string[]): Section[] {
  const [first, ...others] = sections;
  if (first === undefined) return [];
  const text = [first.text, ...others.map(({ title, text }) => `${title} ${text}`)].join(' ');
  return [{ ...first, text, ...(conditions && { conditions }) }];
}
