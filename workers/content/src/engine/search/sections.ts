import type { Database, Statement } from '@octavo/db';
import { splitIntoJson } from '@octavo/db';
import { evaluate, isReadable, isShownTo, visitorScope } from '@octavo/expression';
import type { Section } from '@octavo/markdown';
import { endOfPiece, never } from '@octavo/markdown';
import { hashText } from '@octavo/runtime';
import type { Claims, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

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
    const [heading = '', ...beyond] = splitText(separateCharacters(whole), maxHeadingLength);
    const texts = splitText([...beyond, separateCharacters(body)].join(' '), maxPieceLength);
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

function splitText(body: string, limit: number): string[] {
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

/*
 * What must hold for a section of the index to be shown, as texts: `=` and the condition of a page, `+` and a condition
 * in its text that must hold, `-` and one that must not, or `!`, which never holds. In the index a token stands for each,
 * and one for having any.
 */

/** A page's condition, or that of one above it. */
export const pageCondition = (condition: string): string => `=${condition}`;

/** How many conditions one section may have, in how many characters, and how many different ones a page. */
const maxOfSection = 32;
const maxCharacters = 4096;
const maxOfPage = 200;

/** Gives the conditions of sections of a page, with the page's; nobody is shown what has too many to be kept. */
function boundedConditions(ofPage: string[]): (ofSection: string[]) => string[] {
  const known = new Set(ofPage);
  return (ofSection) => {
    const all = [...new Set([...ofPage, ...ofSection])];
    const fresh = all.filter((each) => !known.has(each));
    const isKept = all.length <= maxOfSection && all.join('').length <= maxCharacters;
    if (!isKept || known.size + fresh.length > maxOfPage) return [never];
    for (const each of fresh) known.add(each);
    return all;
  };
}

/** What stands in the index for having a condition: no part of an id. */
export const conditionalMark = 'conditional';
const tokenLength = 24;

/** What stands in the index for each of the conditions. */
const tokensOf = async (conditions: string[]): Promise<Map<string, string>> =>
  new Map(
    await Promise.all(
      [...new Set(conditions)].map(
        async (each) => [each, `c${(await hashText(each)).slice(0, tokenLength)}`] as [string, string],
      ),
    ),
  );

/** What the index holds of a section with these conditions. */
const marksOf = (conditions: string[], tokens: Map<string, string>): string =>
  [conditionalMark, ...conditions.map((each) => tokens.get(each) ?? '')].join(' ');

/** Whether a condition is met by a visitor with these claims; one that may name variables of space or page never is. */
export function isMet(condition: string, claims: Claims): boolean {
  const [kind, source] = [condition.charAt(0), condition.slice(1)];
  if (kind === '=') return isReadable(source, ['visitor']) && isShownTo(source, claims);
  if (kind === never || mayNameMore(source)) return false;
  return Boolean(evaluate(source, visitorScope(claims)).value) === (kind === '+');
}

/** Whether a condition may name variables, which the index knows nothing of. */
const mayNameMore = (source: string): boolean =>
  !isReadable(source, ['visitor']) &&
  (isReadable(source, ['space', 'page', 'visitor']) || /\b(?:space|page)\b/.test(source));

/** A condition: the space is there, and not being purged. */
export const isKept = (space: SpaceId | SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND purging_at IS NULL)`;

/**
 * The statements that bring the sections of pages to what they are now: those that say what they said stay as they are. A
 * section is known by its page and its place there, and keeps its id. `stamped` is joined to each page, a JSON array `value`
 * that begins with it: it leaves out those that are not to be written.
 */
export function writeSections(db: Database, space: SpaceId, found: PageSections[], stamped: SQL): Statement[] {
  const lengths = JSON.stringify(found.map(({ page, sections }) => [page, sections.length]));
  const tokens = [...new Map(found.flatMap((each) => [...each.tokens]))];
  const stored = sql`x.space = ${space} AND x.page = value->>0`;
  return [
    ...splitIntoJson(tokens).map((json) =>
      db.run(sql`INSERT INTO search_conditions (space, condition, token)
        SELECT ${space}, value->>0, value->>1 FROM json_each(${json}) WHERE ${isKept(space)}
        ON CONFLICT (space, condition) DO NOTHING`),
    ),
    db.run(sql`DELETE FROM search_sections WHERE id IN (
      SELECT x.id FROM json_each(${lengths}) ${stamped} CROSS JOIN search_sections x ON ${stored}
      WHERE x.ordinal >= value->>1 OR NOT ${isInOrder})`),
    ...splitIntoJson(found.flatMap(({ sections }) => sections)).map((json) =>
      db.run(sql`INSERT INTO search_sections (id, space, organization, page, ordinal, anchor, title, heading, body, conditions, tokens)
        SELECT COALESCE(x.id, value->>2 + EXISTS (SELECT 1 FROM search_sections y WHERE y.id = value->>2)), ${space},
          COALESCE((SELECT organization FROM spaces WHERE id = ${space}), ''), value->>0,
          value->>1, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8
        FROM json_each(${json}) ${stamped} LEFT JOIN search_sections x ON ${stored} AND x.ordinal = value->>1
        WHERE x.id IS NULL OR x.anchor <> value->>3 OR x.title <> value->>4 OR x.heading <> value->>5 OR x.body <> value->>6
          OR x.conditions <> value->>7
        ON CONFLICT (id) DO UPDATE SET anchor = CASE WHEN page = excluded.page THEN excluded.anchor END,
          title = excluded.title, heading = excluded.heading, body = excluded.body, conditions = excluded.conditions,
          tokens = excluded.tokens`),
    ),
  ];
}

/** Whether the id of `search_sections x` is one that `idOf` gave it, as before 0019 none was. */
const isInOrder = sql`(x.id >> 32 = x.ordinal)`;

/** The statement that takes pages out of the index; `pages` is a SELECT of their ids. */
export const forgetSections = (db: Database, space: SpaceId, pages: SQL): Statement =>
  db.run(sql`DELETE FROM search_sections WHERE space = ${space} AND page IN (${pages})`);

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
    .source;
const ofWord = /[\p{L}\p{N}\p{M}]/u.source;
/** Where a character of a script without spaces begins or ends within what would be one token. */
const boundary = new RegExp(`(?<=${unspaced})(?=${ofWord})|(?<=${ofWord})(?=${unspaced})`, 'gu');
const separator = '\u200b';
const maxWords = 8;
/** Each place of a text is compared with all tokens of a search, of which a single word may have hundreds. */
const maxTokens = 24;

/** A word of a search as the tokens that follow each other in a text: one, or each character of scripts without spaces. */
export interface Word {
  tokens: string[];
  /** The tokens folded: what is compared in texts. */
  folded: string[];
  /** The last token may go on: the searcher may still be typing it. */
  open: boolean;
}

/**
 * Text as the index takes it. The tokenizer cuts at spaces, which scripts such as Chinese do not write, so an invisible
 * space goes between their characters: each is a token, and a word is a phrase of them.
 */
export const separateCharacters = (text: string): string =>
  text
    .replaceAll(separator, '')
    .replace(/\p{Cc}/gu, ' ')
    .replace(boundary, separator);

/** The text as it was before `separateCharacters`. */
export const joinCharacters = (text: string): string => text.replaceAll(separator, '');

/** The tokens of a text that went through `separateCharacters`, as the tokenizer of the index (unicode61) cuts it. */
export const tokensIn = (text: string) => text.matchAll(/(?:[\p{L}\p{N}\p{Co}]+[\u0300-\u0331]*)+/gu);

/** A token without case and diacritics, as the index compares it. */
export const fold = (token: string): string =>
  /^\w+$/.test(token)
    ? token.toLowerCase()
    : token
        .normalize('NFD')
        .replace(/[\u0300-\u0331]/g, '')
        .normalize('NFC')
        .toLowerCase()
        .replaceAll('ς', 'σ');

/** The first distinct words of what somebody searches for, and of them the first tokens; the others do not count. */
export function wordsOf(query: string): Word[] {
  const written = separateCharacters(query)
    .normalize('NFC')
    .split(/[^\p{L}\p{N}\p{M}\p{Co}\u200b]+/u)
    .map((word) => [...tokensIn(word)].map(([token]) => token).filter((token) => fold(token) !== ''))
    .filter((tokens) => tokens.length > 0);
  const words = new Map<string, Word>();
  for (const [index, tokens] of written.entries()) {
    const folded = tokens.map(fold);
    words.set(folded.join(' '), { tokens, folded, open: index === written.length - 1 });
  }
  let room = maxTokens;
  return [...words.values()].slice(0, maxWords).flatMap((word) => {
    const cut = cutTo(word, room);
    room -= cut.tokens.length;
    return cut.tokens.length > 0 ? [cut] : [];
  });
}

const cutTo = ({ tokens, folded, open }: Word, room: number): Word => ({
  tokens: tokens.slice(0, room),
  folded: folded.slice(0, room),
  open: open && tokens.length <= room,
});
