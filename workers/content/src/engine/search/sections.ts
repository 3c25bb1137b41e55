import type { Database, Statement } from '@octavo/db';
import { splitIntoJson } from '@octavo/db';
import { createVisitorScope, evaluate, isReadable, isShownTo } from '@octavo/expression';
import type { Section } from '@octavo/markdown';
import { findPieceEnd, never } from '@octavo/markdown';
import { hashText } from '@octavo/runtime';
import type { Claims, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

const maxSections = 1000;
/**
 * Maximum length of one section of the index and of its heading, in characters. All words of a search must match within
 * one section, and a search reads whole sections.
 */
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

/** The index entries of a page: its sections, and the tokens of their conditions. */
export interface PageSections {
  page: string;
  /** The conditions that must hold for the page to be visible: its own and those of its ancestors. */
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
 * Creates the sections of a page. Only the first section contains the page's title, so that the title counts once. The
 * first section has only the page's conditions. A long text is split into several rows.
 */
export async function createPageSections(
  page: string,
  { title, conditions, sections }: IndexedText,
): Promise<PageSections> {
  const pieces = toPieces(sections, conditions);
  const tokens = await toTokens(pieces.flatMap((piece) => piece.conditions));
  const indexed = separateCharacters(title);
  const rows = pieces.map(({ anchor, heading, text, conditions: all }, index): SectionRow => {
    const [sectionsJson, marks] = all.length === 0 ? ['', ''] : [JSON.stringify(all), toTokenText(all, tokens)];
    return [
      page,
      index,
      createSectionId(index),
      anchor,
      index === 0 ? indexed : '',
      heading,
      text,
      sectionsJson,
      marks,
    ];
  });
  return { page, conditions, sections: rows, tokens };
}

/** Returns the index entries of a page that cannot be found. */
export const createEmptySections = (page: string): PageSections => ({
  page,
  conditions: [],
  sections: [],
  tokens: new Map(),
});

function toPieces(all: Section[], pageConditions: string[]) {
  const sections = limitSections(all);
  const [first] = sections;
  const isTitled = first !== undefined && first.conditions === undefined;
  const titledSections: Section[] = isTitled ? sections : [{ anchor: '', level: 0, title: '', text: '' }, ...sections];
  const conditionsIn = createConditionCollector(pageConditions);
  return titledSections.flatMap(({ anchor, title, text: body, conditions }) => {
    const [heading = '', ...overflow] = splitText(separateCharacters(title), maxHeadingLength);
    const texts = splitText([...overflow, separateCharacters(body)].join(' '), maxPieceLength);
    const sectionConditions = conditionsIn(conditions ?? []);
    return texts.map((text, index) => ({
      anchor,
      heading: index === 0 ? heading : '',
      text,
      conditions: sectionConditions,
    }));
  });
}

/**
 * Searches read the index by id and stop early. The high bits are the ordinal, so the first sections of all pages come
 * before any second section, and long pages do not hide others. The random low bits mix spaces. If an id is in use, the
 * next one is tried; if that one is in use too, the write fails and the job is retried.
 */
const createSectionId = (ordinal: number): number =>
  ordinal * 2 ** 32 + (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0);

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
 * the text that must hold, `-` for one that must not hold. The text `!` is a condition that never holds. The index has
 * one token for each condition, and one token for sections that have any condition.
 */

/** Returns the token source of the condition of a page or an ancestor. */
export const toPageCondition = (condition: string): string => `=${condition}`;

/**
 * Limits of conditions: of the number per section, of their total length per section in characters, and of the number
 * of distinct conditions per page.
 */
const maxConditionsPerSection = 32;
const maxConditionsLength = 4096;
const maxConditionsPerPage = 200;

/**
 * Returns a function that adds the page's conditions to those of a section. A section with too many conditions is never
 * shown.
 */
function createConditionCollector(pageConditions: string[]): (ofSection: string[]) => string[] {
  const collected = new Set(pageConditions);
  return (ofSection) => {
    const all = [...new Set([...pageConditions, ...ofSection])];
    const fresh = all.filter((each) => !collected.has(each));
    const isWithinLimits = all.length <= maxConditionsPerSection && all.join('').length <= maxConditionsLength;
    if (!isWithinLimits || collected.size + fresh.length > maxConditionsPerPage) return [never];
    for (const each of fresh) collected.add(each);
    return all;
  };
}

/**
 * The token of all sections that have conditions, which cannot be part of an id, and the length of the token of one
 * condition.
 */
export const conditionalMark = 'conditional';
const tokenLength = 24;

const toTokens = async (conditions: string[]): Promise<Map<string, string>> =>
  new Map(
    await Promise.all(
      [...new Set(conditions)].map(
        async (each) => [each, `c${(await hashText(each)).slice(0, tokenLength)}`] as [string, string],
      ),
    ),
  );

const toTokenText = (conditions: string[], tokens: Map<string, string>): string =>
  [conditionalMark, ...conditions.map((each) => tokens.get(each) ?? '')].join(' ');

/**
 * Whether a visitor with these claims meets a condition. A condition that may name variables of the space or page is
 * never met.
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

/** A condition: the space exists and is not being purged. */
export const isSearchable = (space: SpaceId | SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND purging_at IS NULL)`;

/**
 * Returns the statements that update the sections of pages; unchanged sections are not written. A section is identified
 * by page and ordinal, and keeps its id. `stamped` is a join on the JSON array `value`, which starts with the page; it
 * excludes pages that must not be written.
 */
export function writeSections(db: Database, space: SpaceId, pages: PageSections[], stamped: SQL): Statement[] {
  const lengths = JSON.stringify(pages.map(({ page, sections }) => [page, sections.length]));
  const tokens = [...new Map(pages.flatMap((each) => [...each.tokens]))];
  const storedRow = sql`x.space = ${space} AND x.page = value->>0`;
  return [
    ...splitIntoJson(tokens).map((json) =>
      db.run(sql`INSERT INTO search_conditions (space, condition, token)
        SELECT ${space}, value->>0, value->>1 FROM json_each(${json}) WHERE ${isSearchable(space)}
        ON CONFLICT (space, condition) DO NOTHING`),
    ),
    db.run(sql`DELETE FROM search_sections WHERE id IN (
      SELECT x.id FROM json_each(${lengths}) ${stamped} CROSS JOIN search_sections x ON ${storedRow}
      WHERE x.ordinal >= value->>1 OR NOT ${isInOrder})`),
    ...splitIntoJson(pages.flatMap(({ sections }) => sections)).map((json) =>
      db.run(sql`INSERT INTO search_sections (id, space, organization, page, ordinal, anchor, title, heading, body, conditions, tokens)
        SELECT COALESCE(x.id, value->>2 + EXISTS (SELECT 1 FROM search_sections y WHERE y.id = value->>2)), ${space},
          COALESCE((SELECT organization FROM spaces WHERE id = ${space}), ''), value->>0,
          value->>1, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8
        FROM json_each(${json}) ${stamped} LEFT JOIN search_sections x ON ${storedRow} AND x.ordinal = value->>1
        WHERE x.id IS NULL OR x.anchor <> value->>3 OR x.title <> value->>4 OR x.heading <> value->>5 OR x.body <> value->>6
          OR x.conditions <> value->>7
        ON CONFLICT (id) DO UPDATE SET anchor = CASE WHEN page = excluded.page THEN excluded.anchor END,
          title = excluded.title, heading = excluded.heading, body = excluded.body, conditions = excluded.conditions,
          tokens = excluded.tokens`),
    ),
  ];
}

/** Whether `createSectionId` created the id of `search_sections x`. Before migration 0019 ids had another form. */
const isInOrder = sql`(x.id >> 32 = x.ordinal)`;

/** Removes the sections of pages from the index; `pages` is a SELECT of their ids. */
export const deleteSections = (db: Database, space: SpaceId, pages: SQL): Statement =>
  db.run(sql`DELETE FROM search_sections WHERE space = ${space} AND page IN (${pages})`);

const unspacedCharacter =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
    .source;
const wordCharacter = /[\p{L}\p{N}\p{M}]/u.source;
/** Matches the position inside a token at which a character of a script without spaces begins or ends. */
const boundary = new RegExp(
  `(?<=${unspacedCharacter})(?=${wordCharacter})|(?<=${wordCharacter})(?=${unspacedCharacter})`,
  'gu',
);
const separator = '\u200b';
const maxWords = 8;
/**
 * Maximum number of tokens of a search. Each position of a text is compared with all of them, and a single word may
 * have hundreds.
 */
const maxTokens = 24;

/** A word of a search as consecutive tokens: a single one, or one for each character in scripts without spaces. */
export interface Word {
  tokens: string[];
  /** The folded tokens, which are compared with texts. */
  folded: string[];
  /** Whether the last token is a prefix, because the user may still be typing. */
  open: boolean;
}

/**
 * Prepares text for the index. The tokenizer splits at spaces, which scripts such as Chinese do not use, so an
 * invisible space is inserted between their characters: each is a token, and a word is a phrase.
 */
export const separateCharacters = (text: string): string =>
  text
    .replaceAll(separator, '')
    .replace(/\p{Cc}/gu, ' ')
    .replace(boundary, separator);

/** Reverses `separateCharacters`. */
export const joinCharacters = (text: string): string => text.replaceAll(separator, '');

/** Finds the tokens of a text from `separateCharacters`, as the index tokenizer (unicode61) splits it. */
export const findTokens = (text: string) => text.matchAll(/(?:[\p{L}\p{N}\p{Co}]+[\u0300-\u0331]*)+/gu);

/** Removes case and diacritics from a token, as the index does. */
export const fold = (token: string): string =>
  /^\w+$/.test(token)
    ? token.toLowerCase()
    : token
        .normalize('NFD')
        .replace(/[\u0300-\u0331]/g, '')
        .normalize('NFC')
        .toLowerCase()
        .replaceAll('ς', 'σ');

/** Returns the first distinct words of a search, up to the limits on words and tokens. */
export function toWords(query: string): Word[] {
  const wordGroups = separateCharacters(query)
    .normalize('NFC')
    .split(/[^\p{L}\p{N}\p{M}\p{Co}\u200b]+/u)
    .map((word) => [...findTokens(word)].map(([token]) => token).filter((token) => fold(token) !== ''))
    .filter((tokens) => tokens.length > 0);
  const words = new Map<string, Word>();
  for (const [index, tokens] of wordGroups.entries()) {
    const folded = tokens.map(fold);
    words.set(folded.join(' '), { tokens, folded, open: index === wordGroups.length - 1 });
  }
  let remainingTokens = maxTokens;
  return [...words.values()].slice(0, maxWords).flatMap((word) => {
    const cut = truncateWord(word, remainingTokens);
    remainingTokens -= cut.tokens.length;
    return cut.tokens.length > 0 ? [cut] : [];
  });
}

const truncateWord = ({ tokens, folded, open }: Word, maxTokens: number): Word => ({
  tokens: tokens.slice(0, maxTokens),
  folded: folded.slice(0, maxTokens),
  open: open && tokens.length <= maxTokens,
});
