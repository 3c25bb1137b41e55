import type { StateBlock } from 'markdown-it';
import { importedImages } from '../links/imported-images.ts';
import { type BlockReading, isIndented, lineOf, noteOpen } from './block-state.ts';
import { mayBeConditional } from './conditions.ts';
import { put } from './foreign-blocks.ts';

const IMPORT = /^import\s(?:[^"'`<>]*\sfrom\s+)?["'][^"']+["'];?$/;
const EXPORT =
  /^export\s+(?:(?:const|let|var)\s+[\w$[{]|(?:default\s+)?(?:async\s+)?function\b|(?:default\s+)?class\s|\{|\*\s|default\s+(?:\(|[\w$]+;?$))/;
const COMMENT = /^\{\/\*/;
/** A longer script ends at its first blank line. */
const MAX_SCRIPT_LINES = 200;
const MAX_SCRIPT_LENGTH = 16 * 1024;

/** Imports, exports and comments of mdx are no content. */
export function script(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line) || silent) return false;
  const first = lineOf(state, line);
  const isComment = COMMENT.test(first);
  const isPlain = /^(?:im|ex)port\s/.test(first) && (IMPORT.test(first) || EXPORT.test(first) || isOpenImport(first));
  if (!isComment && !isPlain) return false;
  const last = Math.min(endLine, line + MAX_SCRIPT_LINES);
  const end = isComment ? commentEnd(state, line, last) : scriptEnd(state, line, last);
  if (end === undefined || (end >= last && last === endLine)) noteOpen(state, line, endLine);
  const stop = end ?? blankAfter(state, line, last);
  const text = state.getLines(line, stop, 0, false);
  if ((isComment && end === undefined) || mayBeConditional(text)) return false;
  const reading = state.env as BlockReading;
  reading.imports ??= new Map();
  for (const { name, address } of isComment ? [] : importedImages(text)) reading.imports.set(name, address);
  return put(state, line, stop);
}

const isOpenImport = (text: string): boolean => /^import\s+(?:[\w$]+\s*,\s*)?\{[^{}]*$/.test(text);

/** The line after a comment; undefined where nothing ends it. */
function commentEnd(state: StateBlock, line: number, last: number): number | undefined {
  for (let end = line; end < last; end += 1) if (lineOf(state, end).endsWith('*/}')) return end + 1;
  return undefined;
}

function blankAfter(state: StateBlock, line: number, last: number): number {
  let end = line + 1;
  while (end < last && !state.isEmpty(end)) end += 1;
  return end;
}

/** The line after a script: the first blank one at which no bracket is open; undefined where one stays so. */
function scriptEnd(state: StateBlock, line: number, last: number): number | undefined {
  const brackets = new Brackets();
  let length = 0;
  for (let end = line; end < last; end += 1) {
    if (state.isEmpty(end) && !brackets.isOpen) return end;
    const text = lineOf(state, end);
    length += text.length;
    if (length > MAX_SCRIPT_LENGTH) return undefined;
    brackets.read(text);
  }
  return brackets.isOpen ? undefined : last;
}

/** Counts the brackets of a script line by line; signs in texts count not. */
class Brackets {
  #depth = 0;
  #quote = '';

  get isOpen(): boolean {
    return this.#depth > 0 || this.#quote !== '';
  }

  read(line: string): void {
    for (let at = 0; at < line.length; at += 1) {
      const sign = line.charAt(at);
      if (sign === '\\') at += 1;
      else if (this.#quote !== '') this.#quote = sign === this.#quote ? '' : this.#quote;
      else if ('"\'`'.includes(sign)) this.#quote = sign;
      else if ('([{'.includes(sign)) this.#depth += 1;
      else if (')]}'.includes(sign)) this.#depth -= 1;
    }
    // Only a template goes on in the next line; an apostrophe may be one of a text.
    if (this.#quote !== '`') this.#quote = '';
  }
}
