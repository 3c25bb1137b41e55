import { findCodeRuns, findCodeSpan, splitHeading } from '@octavo/markdown';
import {
  groupEnd,
  marks,
  type SummaryEntry,
  type SummaryGroup,
  type SummaryItem,
  type SummaryMark,
} from './summary.ts';
import { inlineText, unescapeText } from './text.ts';

const comment = /(?<!\\)<!--[\s\S]*?-->/g;
const ruler = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const heading = /^ {0,3}(#{1,6})(?=[ \t]|$)([^\n]*)$/;
const closingSigns = /(?<=^|[ \t])#+$/;
const listItem = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+([\s\S]*))?$/;

/** Parses a SUMMARY.md of mdBook or GitBook: lists of links, parts under headings, chapters outside of lists. */
export const parseSummary = (text: string): SummaryItem[] => readSummary(text).items;

/** A line of a summary that is a title, a part, an entry, or the end of a part. All other lines are ignored. */
export interface SummaryLine {
  /** The number of the line, counted from 0. Lines end with CRLF, LF or CR. */
  line: number;
  kind: 'title' | 'group' | 'entry' | 'close';
  item?: SummaryItem;
  /** Whether an entry is in a list. An entry outside of a list ends the current part. */
  isListed: boolean;
  /** Whether the next line underlines the heading. */
  isUnderlined: boolean;
}

/** Parses a summary and returns the lines of its items. */
export function readSummary(text: string): { items: SummaryItem[]; lines: SummaryLine[] } {
  const reader = new Reader();
  const lines = removeComments(text.replace(/^\ufeff/, ''), isMark).split(lineEnd);
  lines.forEach((line, index) => {
    const isUnderlined = line.trim() !== '' && /^=+[ \t]*$/.test(lines[index + 1] ?? '');
    reader.read(isUnderlined ? `# ${line.trim()}` : line, { line: index, isUnderlined });
  });
  return reader;
}

const lineEnd = /\r\n|\n|\r/;

/**
 * Removes comments, except those that `isKeptComment` accepts, and keeps their line breaks. Text after the last `-->`
 * is not scanned.
 */
function removeComments(text: string, isKeptComment: (comment: string) => boolean): string {
  const end = text.lastIndexOf('-->') + '-->'.length;
  if (end < '-->'.length) return text;
  const blankComment = (all: string) => (isKeptComment(all) ? all : '\n'.repeat(all.split(lineEnd).length - 1));
  return text.slice(0, end).replace(comment, blankComment) + text.slice(end);
}

/** Trims blanks. Each run of blanks is scanned once. */
const trimBlanks = (text: string): string => text.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '');

const isMark = (text: string): boolean => text === groupEnd || marks.some((mark) => text === `<!-- ${mark} -->`);

class Reader {
  readonly items: SummaryItem[] = [];
  readonly lines: SummaryLine[] = [];
  #group: SummaryGroup | undefined;
  #open: { indent: number; entry: SummaryEntry }[] = [];
  #hasTitle = false;
  /** A horizontal rule below a part. It ends the part if an entry follows. */
  #rule: Pick<SummaryLine, 'line' | 'isUnderlined'> | undefined;

  read(line: string, position: Pick<SummaryLine, 'line' | 'isUnderlined'>): void {
    if (line.trim() === '') return;
    if (ruler.test(line)) {
      if (this.#group !== undefined) this.#rule = position;
      return;
    }
    const [isHeading, level, text = ''] = heading.exec(line) ?? [];
    const [isItem, indent = '', content = ''] = listItem.exec(line) ?? [];
    let entry: Pick<SummaryLine, 'kind' | 'item'> | undefined;
    if (line.trim() === groupEnd) entry = this.#close();
    else if (isHeading !== undefined)
      entry = this.#readHeading(level === '#', trimBlanks(trimBlanks(text).replace(closingSigns, '')));
    else if (isItem !== undefined) {
      if (this.#rule !== undefined) this.lines.push({ ...this.#rule, ...this.#close(), isListed: false });
      entry = this.#readItem(getWidth(indent), content);
    } else if (readLink(line.trimStart())) {
      this.#close();
      entry = { kind: 'entry', item: getEntry(line.trimStart()) };
      if (entry.item) this.items.push(entry.item);
    }
    if (entry) this.lines.push({ ...position, ...entry, isListed: isItem !== undefined });
  }

  #close(): { kind: 'close' } {
    this.#group = undefined;
    this.#rule = undefined;
    this.#open = [];
    return { kind: 'close' };
  }

  #readHeading(top: boolean, text: string): Pick<SummaryLine, 'kind' | 'item'> | undefined {
    const ownTitle = top && !this.#hasTitle && this.items.length === 0;
    this.#hasTitle = true;
    const title = getTitle(text);
    if (ownTitle) return { kind: 'title' };
    if (title === '') return undefined;
    this.#group = { type: 'group', title, items: [] };
    this.#rule = undefined;
    this.#open = [];
    this.items.push(this.#group);
    return { kind: 'group', item: this.#group };
  }

  #readItem(indent: number, content: string): Pick<SummaryLine, 'kind' | 'item'> | undefined {
    const open = this.#open;
    while (open.length > 0 && indent < (open.at(-1)?.indent ?? 0) + 2) open.pop();
    const entry = getEntry(content);
    if (entry.title === '' && entry.destination === undefined) return undefined;
    (open.at(-1)?.entry.items ?? this.#group?.items ?? this.items).push(entry);
    open.push({ indent, entry });
    return { kind: 'entry', item: entry };
  }
}

/** Returns a title without its anchors, like headings of pages. */
const getTitle = (source: string): string => inlineText(splitHeading(source).text);

const getWidth = (indent: string): number => indent.replace(/\t/g, '    ').length;

function getEntry(content: string): SummaryEntry {
  const link = readLink(content);
  const rest = link?.rest ?? content;
  const foundMarks = marks.filter((mark) => rest.includes(`<!-- ${mark} -->`)) satisfies SummaryMark[];
  const plain = trimBlanks(removeComments(rest, () => false));
  const entry: SummaryEntry = { type: 'entry', title: link?.title ?? getTitle(plain), marks: foundMarks, items: [] };
  return link?.destination ? { ...entry, destination: link.destination } : entry;
}

/** A link at the start of a text, and the text after it. */
interface ReadLink {
  title: string;
  destination: string;
  rest: string;
}

const angled = /^<((?:\\[\s\S]|[^<>\\])*)>/;
const bareDestination = /^(?:\\[\s\S]|[^\s()\\]|\((?:\\[\s\S]|[^\s()\\])*\))*/;
/** Blanks are matched possessively: backtracking over a long run would take quadratic time. */
const end =
  /^[ \t]*(?![ \t])(?:(?<=[ \t])(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\((?:\\[\s\S]|[^()\\])*\))[ \t]*(?![ \t]))?\)/;

/** Parses `[title](destination "quoted")` at the start of the text. */
function readLink(text: string): ReadLink | undefined {
  if (!text.startsWith('[')) return undefined;
  const close = findClosingBracket(text);
  if (close === undefined || text[close + 1] !== '(') return undefined;
  const inside = text.slice(close + 2).replace(/^[ \t]+/, '');
  const match = angled.exec(inside) ?? bareDestination.exec(inside);
  const destination = match?.[0] ?? '';
  const tail = end.exec(inside.slice(destination.length));
  if (!tail) return undefined;
  return {
    title: getTitle(text.slice(1, close)),
    destination: unescapeText(match?.[1] ?? destination),
    rest: inside.slice(destination.length + tail[0].length),
  };
}

function findClosingBracket(text: string): number | undefined {
  const runs = findCodeRuns(text);
  let depth = 0;
  for (let offset = 0; offset < text.length; offset += 1) {
    const character = text[offset];
    if (character === '\\') offset += 1;
    if (character === '`') {
      const { length, close } = findCodeSpan(runs, text, offset);
      offset = (close ?? offset) + length - 1;
    }
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (depth === 0) return offset;
  }
  return undefined;
}
