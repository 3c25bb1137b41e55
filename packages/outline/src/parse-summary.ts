import { codeRuns, codeSpan } from '@octavo/markdown';
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

/** Reads a SUMMARY.md of mdBook or GitBook: lists of links, parts under headings, chapters outside of lists. */
export function parseSummary(text: string): SummaryItem[] {
  const reader = new Reader();
  const lines = withoutComments(text.replace(/^\ufeff/, ''), isMark).split(/\r\n|\n|\r/);
  lines.forEach((line, index) => {
    const underlined = /^=+[ \t]*$/.test(lines[index + 1] ?? '');
    reader.read(underlined && line.trim() !== '' ? `# ${line.trim()}` : line);
  });
  return reader.items;
}

/** A text without its comments, but for those to keep. What no comment ends after is not looked through. */
function withoutComments(text: string, isKept: (comment: string) => boolean): string {
  const end = text.lastIndexOf('-->') + '-->'.length;
  if (end < '-->'.length) return text;
  return text.slice(0, end).replace(comment, (all) => (isKept(all) ? all : '')) + text.slice(end);
}

/** Blanks at both ends, each run of them looked at once. */
const withoutBlanks = (text: string): string => text.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '');

const isMark = (text: string): boolean => text === groupEnd || marks.some((mark) => text === `<!-- ${mark} -->`);

class Reader {
  items: SummaryItem[] = [];
  #group: SummaryGroup | undefined;
  #open: { indent: number; entry: SummaryEntry }[] = [];
  #titled = false;

  read(line: string): void {
    if (line.trim() === '' || ruler.test(line)) return;
    const [isHeading, level, text = ''] = heading.exec(line) ?? [];
    const [isItem, indent = '', content = ''] = listItem.exec(line) ?? [];
    if (line.trim() === groupEnd) this.#close();
    else if (isHeading !== undefined)
      this.#readHeading(level === '#', withoutBlanks(withoutBlanks(text).replace(closingSigns, '')));
    else if (isItem !== undefined) this.#readItem(widthOf(indent), content);
    else if (readLink(line.trimStart())) {
      this.#close();
      this.items.push(entryOf(line.trimStart()));
    }
  }

  #close(): void {
    this.#group = undefined;
    this.#open = [];
  }

  #readHeading(top: boolean, text: string): void {
    const ownTitle = top && !this.#titled && this.items.length === 0;
    this.#titled = true;
    const title = inlineText(text);
    if (ownTitle || title === '') return;
    this.#group = { type: 'group', title, items: [] };
    this.#open = [];
    this.items.push(this.#group);
  }

  #readItem(indent: number, content: string): void {
    const open = this.#open;
    while (open.length > 0 && indent < (open.at(-1)?.indent ?? 0) + 2) open.pop();
    const entry = entryOf(content);
    if (entry.title === '' && entry.destination === undefined) return;
    (open.at(-1)?.entry.items ?? this.#group?.items ?? this.items).push(entry);
    open.push({ indent, entry });
  }
}

const widthOf = (indent: string): number => indent.replace(/\t/g, '    ').length;

function entryOf(content: string): SummaryEntry {
  const link = readLink(content);
  const rest = link?.rest ?? content;
  const found = marks.filter((mark) => rest.includes(`<!-- ${mark} -->`)) satisfies SummaryMark[];
  const plain = withoutBlanks(withoutComments(rest, () => false));
  const entry: SummaryEntry = { type: 'entry', title: link?.title ?? inlineText(plain), marks: found, items: [] };
  return link?.destination ? { ...entry, destination: link.destination } : entry;
}

/** A link at the start of a text, and what stands after it. */
interface ReadLink {
  title: string;
  destination: string;
  rest: string;
}

const angled = /^<((?:\\[\s\S]|[^<>\\])*)>/;
const bare = /^(?:\\[\s\S]|[^\s()\\]|\((?:\\[\s\S]|[^\s()\\])*\))*/;
/** Blanks are taken whole: taken one by one, a long run of them would cost its square. */
const end =
  /^[ \t]*(?![ \t])(?:(?<=[ \t])(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\((?:\\[\s\S]|[^()\\])*\))[ \t]*(?![ \t]))?\)/;

/** Reads `[title](destination "quoted")` at the start of the text. */
function readLink(text: string): ReadLink | undefined {
  if (!text.startsWith('[')) return undefined;
  const close = closingBracket(text);
  if (close === undefined || text[close + 1] !== '(') return undefined;
  const inside = text.slice(close + 2).replace(/^[ \t]+/, '');
  const match = angled.exec(inside) ?? bare.exec(inside);
  const written = match?.[0] ?? '';
  const tail = end.exec(inside.slice(written.length));
  if (!tail) return undefined;
  return {
    title: inlineText(text.slice(1, close)),
    destination: unescapeText(match?.[1] ?? written),
    rest: inside.slice(written.length + tail[0].length),
  };
}

function closingBracket(text: string): number | undefined {
  const runs = codeRuns(text);
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    if (character === '`') {
      const { length, close } = codeSpan(runs, text, at);
      at = (close ?? at) + length - 1;
    }
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}
