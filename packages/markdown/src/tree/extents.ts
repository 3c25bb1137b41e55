import type { StateBlock } from 'markdown-it';
import { mayBeConditional } from './conditions.ts';
import { getTagMeaning } from './dialects.ts';
import type { JsxTag } from './jsx.ts';
import { MAX_JSX_LENGTH, readElements, readJsxTag } from './jsx.ts';
import { JsxElements } from './jsx-elements.ts';
import { getKind, MAX_TAG_LENGTH, readTag } from './tags.ts';

/**
 * The lines of a tag and of its parts, such as `{% else %}`. For a component, `tagEnd` is the last line of its opening
 * tag, and `isVoid` is set if it is self-closing or not closed. `closing` is a closing tag that follows text on a
 * content line.
 */
export type Extent = { end: number; parts: number[]; tagEnd?: number; isVoid?: boolean; closing?: string };

/** The info string of a fence contains no backticks. */
const FENCE = /^(`{3,}(?![^`]*`)|~{3,})/;
const DETAILS = /^<details(?: [^<>]*)?>(?:<summary(?: [^<>]*)?>.*<\/summary>)?$/;
export const isDetailsOpening = (line: string): boolean => line.length <= MAX_TAG_LENGTH && DETAILS.test(line);

/** The colons that open a block, with its name and arguments. Colons without a name close a block. */
const COLONS = /^(:{3,})[ \t]*(?:\{([a-zA-Z][\w-]*)\}|([a-zA-Z][\w-]*))(?=[ \t[{]|$)[ \t]*(.*)$/;
const SHORTCODE = /^\{\{([<%])[ \t]*(\/?)[ \t]*([a-zA-Z][\w-]*)(?:[ \t]+((?:[^}]|\}(?!\}))*?))?[ \t]*([>%])\}\}$/;

/** A line that opens or closes a block of another dialect. */
interface Opening {
  name: string;
  rest: string;
  /** Identifies the end of the block. */
  sign: string;
  closes: boolean;
}

export function getOpening(line: string): Opening | undefined {
  if (line.length > MAX_TAG_LENGTH) return undefined;
  if (line.startsWith(':::')) {
    if (/^:+$/.test(line)) return { name: '', rest: '', sign: line, closes: true };
    const [, colons = '', braced, bareName, rest = ''] = COLONS.exec(line) ?? [];
    const name = braced ?? bareName;
    return name === undefined ? undefined : { name, rest, sign: colons, closes: false };
  }
  if (!/^\{\{[<%]/.test(line)) return undefined;
  const [, open, slash, name, rest = '', close] = SHORTCODE.exec(line) ?? [];
  if (name === undefined || (open === '<') !== (close === '>')) return undefined;
  return { name, rest, sign: `{{${name}`, closes: slash === '/' };
}

const MAX_TAG_LINES = 60;

/** A component's tag that continues on the next line. */
type OpenTag = { line: number; text: string; isQuoted: boolean };

/** Finds the tags of a text, line by line. */
export class ExtentReader {
  /** Closed tags by their opening line. */
  readonly extents = new Map<number, Extent>();
  /** Number of unclosed tags by name (`hint`), and of unmatched closing tags (`endhint`). */
  readonly faults = new Map<string, number>();
  readonly #open: { name: string; line: number; parts: number[]; tagEnd?: number }[] = [];
  readonly #counts = new Map<string, number>();
  readonly #elements = new JsxElements();
  #line = 0;
  #fence = '';
  #tag: OpenTag | undefined;

  /** The lines of elements and components of MDX, in which indented lines are not code. */
  get jsxLines(): ReadonlySet<number> {
    return this.#elements.getLines();
  }

  read(fullLine: string): void {
    const line = this.#line++;
    const text = removeQuotes(fullLine);
    const tag = /^(?:\{%|```)/.test(text) ? undefined : this.#tag;
    this.#tag = undefined;
    const marker = FENCE.exec(text)?.[1] ?? '';
    if (this.#fence === '' && marker === '') this.#elements.read(fullLine, line);
    if (tag !== undefined) this.#readMore(tag, fullLine, line);
    else if (this.#fence !== '') {
      if (marker.startsWith(this.#fence) && text === marker) this.#fence = '';
    } else if (marker !== '') this.#fence = marker;
    else if (isDetailsOpening(text)) this.#begin('<details', line);
    else if (text === '</details>') this.#close('<details', line);
    else if (/^<\/?[A-Z]/.test(text))
      this.#readMore({ line, text: '', isQuoted: fullLine.trimStart().startsWith('>') }, text, line);
    else if (text.startsWith(':::') || text.startsWith('{{')) this.#readOpening(getOpening(text), line);
    else if (!this.#closeBehind(fullLine.trim(), line)) this.#readTag(readTag(text), line);
  }

  /** Reports the tags that are still open at the end as unclosed. */
  end(): void {
    for (const { name } of this.#open) this.#reportUnclosed(name);
  }

  #readOpening(opening: Opening | undefined, line: number): void {
    if (opening === undefined) return;
    if (opening.closes) this.#close(opening.sign, line);
    else this.#begin(opening.sign, line);
  }

  /** Reads another line of a component's opening tag. */
  #readMore(tag: OpenTag, fullLine: string, line: number): void {
    const text =
      tag.line === line ? fullLine : `${tag.text}\n${fullLine.replace(tag.isQuoted ? /^[ \t>]+/ : /^[ \t]+/, '')}`;
    this.#tag = { ...tag, text };
    if (fullLine.includes('>')) {
      const jsxTag = readJsxTag(text, 0);
      if (jsxTag !== undefined) {
        this.#tag = undefined;
        this.#placeTag(jsxTag, { text, line: tag.line, end: line });
        return;
      }
    }
    const isTooLong = text.length > MAX_JSX_LENGTH || line - tag.line > MAX_TAG_LINES;
    if (isTooLong || fullLine.trim() === '') this.#tag = undefined;
  }

  #placeTag(jsxTag: JsxTag, { text, line, end }: { text: string; line: number; end: number }): void {
    const { name, closes, isEmpty, end: length } = jsxTag;
    const rest = text.slice(length).trim();
    if (closes && rest !== '' && !rest.startsWith('</')) return;
    if (!closes && rest !== '' && (line !== end || readElements(text.trim()) === undefined)) {
      if (line === end && !this.#closeBehind(text.trim(), line)) this.#beginBefore(jsxTag, { rest, line });
      return;
    }
    this.extents.set(line, { end, parts: [], tagEnd: end, isVoid: true });
    if (closes) {
      this.#close(`<${name}`, line);
      for (const [tag] of rest.matchAll(/<\/[A-Z][\w.]{0,50}>/g)) this.#closeBehind(`>${tag}`, line);
    } else if (rest === '' && !isEmpty) this.#begin(`<${name}`, line, end);
  }

  /**
   * Closes the innermost tag if a line ends with its closing tag, after text or other components. Returns whether it
   * was closed.
   */
  #closeBehind(text: string, line: number): boolean {
    const top = this.#open.at(-1);
    if (top === undefined || !text.endsWith('>') || text.length > MAX_JSX_LENGTH) return false;
    const offset = text.lastIndexOf('</');
    const [before, closing] = [text.slice(0, offset), text.slice(offset)];
    if (offset < 1 || closing !== `</${top.name.slice(1)}>` || before.includes(top.name)) return false;
    if (!/^<(?:details|(?!Code(?:Block)?$)[A-Z].*)$/.test(top.name) || mayBeConditional(text)) return false;
    if (/^<[A-Z]/.test(before)) {
      if (readElements(before) === undefined) return false;
      this.extents.set(line, { end: line, parts: [], tagEnd: line, isVoid: true });
    }
    this.#open.pop();
    this.#count(top.name, -1);
    if (isComponent(top.name)) this.#elements.addComponent(top.line, line);
    const { parts, tagEnd } = top;
    this.extents.set(top.line, { end: line, parts, closing, ...(tagEnd !== undefined && { tagEnd }) });
    return true;
  }

  /** A known component may be followed by text on its line. */
  #beginBefore(tag: JsxTag, { rest, line }: { rest: string; line: number }): void {
    if (getTagMeaning(tag) === undefined || /<\/?[A-Z]/.test(rest)) return;
    this.#begin(`<${tag.name}`, line, line);
  }

  /** An `else` with a condition is ignored, because it is not the branch for all remaining cases. */
  #readTag({ name, rest } = { name: '', rest: '' }, line: number): void {
    if (name.startsWith('end')) this.#close(name.slice(3), line);
    else if (name === 'elseif' || (name === 'else' && rest === '')) this.#readPart(line);
    else if (getKind(name) !== undefined || /^(?:highlight|comment)$/.test(name)) this.#begin(name, line);
  }

  #begin(name: string, line: number, tagEnd?: number): void {
    this.#open.push({ name, line, parts: [], ...(tagEnd !== undefined && { tagEnd }) });
    this.#count(name, 1);
  }

  #close(name: string, line: number): void {
    if ((this.#counts.get(name) ?? 0) === 0) {
      if (name === '<details' || getKind(name) !== undefined) this.#reportFault(`end${name}`);
      return;
    }
    for (let top = this.#open.pop(); top !== undefined; top = this.#open.pop()) {
      this.#count(top.name, -1);
      if (top.name === name) {
        if (isComponent(name)) this.#elements.addComponent(top.line, line);
        const { parts, tagEnd } = top;
        this.extents.set(top.line, { end: line, parts, ...(tagEnd !== undefined && { tagEnd }) });
        return;
      }
      this.#reportUnclosed(top.name);
    }
  }

  #readPart(line: number): void {
    const isSkippable = (name: string) => getKind(name)?.isVoid === true || isForeignName(name);
    while (this.#open.length > 0 && isSkippable(this.#open.at(-1)?.name ?? ''))
      this.#count(this.#open.pop()?.name ?? '', -1);
    const top = this.#open.at(-1);
    if (top?.name === 'if') top.parts.push(line);
  }

  #count(name: string, by: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  #reportUnclosed(name: string): void {
    if (getKind(name)?.isVoid !== true && !isForeignName(name)) this.#reportFault(name);
  }

  #reportFault(description: string): void {
    this.faults.set(description, (this.faults.get(description) ?? 0) + 1);
  }
}

const isComponent = (name: string): boolean => /^<[A-Z]/.test(name);

/** Whether a block belongs to another dialect. If such a block is unclosed, it is text. */
const isForeignName = (name: string): boolean => /^(?::|\{|<[A-Z]|(?:highlight|comment)$)/.test(name);

/** Finds the tags of a text in one pass. */
export function readExtents(lines: string[]): Pick<ExtentReader, 'extents' | 'faults' | 'jsxLines'> {
  const reader = new ExtentReader();
  for (const line of lines) reader.read(line);
  reader.end();
  return reader;
}

const PREFIX = /^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)?/;
/** Removes quote and list markers of a line. */
const removeQuotes = (line: string): string => {
  const first = line.trimStart().charAt(0);
  return /[{<`~>*+\-\d:]/.test(first) ? line.slice(PREFIX.exec(line)?.[0].length ?? 0).trimEnd() : '';
};

/** Returns the tag of a line that consists of one tag, ignoring quote and list markers. */
export const readLineTag = (line: string): { name: string; rest: string } | undefined => readTag(removeQuotes(line));

/** Returns the fence that a line opens or closes, ignoring quote and list markers. The marker is '' without one. */
export const readLineFence = (line: string): { marker: string; isBare: boolean } => {
  const text = removeQuotes(line);
  const marker = FENCE.exec(text)?.[1] ?? '';
  return { marker, isBare: text === marker };
};

/** State of markdown-it for a document or a part of one. */
export interface BlockReading {
  references?: Record<string, { title: string; href: string }>;
  /** The extents of tags, by line of the document. */
  extents?: ReadonlyMap<number, Extent>;
  /** The lines of the document in which indentation doesn't make code. */
  jsxLines?: ReadonlySet<number>;
  inlineTokens?: number;
  /** Images that MDX scripts import, by name. */
  imports?: Map<string, string>;
  /** Lines that close a container without a known meaning, or one of its parts. */
  unknownEnds?: Set<number>;
  /** Whether all conditions of the document belong to other generators. */
  isForeign?: boolean;
  /** Start line of the part in the document; 0 for the whole document. */
  firstLine?: number;
  /** The first line whose result can depend on the text after the parsed part. */
  openAt?: number;
  maxTokens?: number;
  /** The inline markup of a longer text is not parsed. */
  maxInlineLength?: number;
}

export const getLine = (state: StateBlock, line: number): string =>
  state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trimEnd();

export const isIndented = (state: StateBlock, line: number): boolean =>
  (state.sCount[line] ?? 0) - state.blkIndent >= 4;

/** Returns the extent of the tag at a line if it ends before `endLine`, in lines of the parsed part. */
export function findExtent(state: StateBlock, line: number, endLine: number): Extent | undefined {
  const { extents, firstLine = 0 } = state.env as BlockReading;
  const extent = extents?.get(line + firstLine);
  if (extent === undefined) return undefined;
  if (extent.end - firstLine < endLine)
    return { ...extent, end: extent.end - firstLine, parts: extent.parts.map((part) => part - firstLine) };
  recordUnclosed(state, line, endLine);
  return undefined;
}

/** Marks lines of containers without a known meaning. */
export function recordUnknownLines(state: StateBlock, ...lines: number[]): void {
  const reading = state.env as BlockReading;
  reading.unknownEnds ??= new Set();
  for (const line of lines) reading.unknownEnds.add(line + (reading.firstLine ?? 0));
}

/** Whether `recordUnknownLines` has marked the line. */
export function isUnknownLine(state: StateBlock, line: number): boolean {
  const { unknownEnds, firstLine = 0 } = state.env as BlockReading;
  return unknownEnds?.has(line + firstLine) === true;
}

/** Records that the end of a block was not found in the parsed part. */
export function recordUnclosed(state: StateBlock, line: number, endLine: number): void {
  const reading = state.env as BlockReading;
  if (endLine >= state.bMarks.length - 1) reading.openAt = Math.min(reading.openAt ?? line, line);
}

/** Parses the lines of a container as blocks. */
export function parseInside(state: StateBlock, start: number, end: number): void {
  const { lineMax, parentType, blkIndent, tight } = state;
  state.lineMax = end;
  state.parentType = 'root';
  state.md.block.tokenize(state, start, end);
  Object.assign(state, { lineMax, parentType, blkIndent, tight });
}

/** Parses the lines of a container, including the text before a closing tag on its last line. */
export function parseInsideUntil(
  state: StateBlock,
  start: number,
  { end, closing }: Pick<Extent, 'end' | 'closing'>,
): void {
  const { eMarks } = state;
  const [begin = 0, stop = 0] = [state.bMarks[end], eMarks[end]];
  if (closing !== undefined) eMarks[end] = begin + state.src.slice(begin, stop).trimEnd().length - closing.length;
  parseInside(state, start, closing === undefined ? end : end + 1);
  eMarks[end] = stop;
}
