import type { StateBlock } from 'markdown-it';
import { findImportedImages } from '../links/destinations.ts';
import { mayBeConditional } from './conditions.ts';
import { addSilentToken } from './dialects.ts';
import type { BlockReading } from './extents.ts';
import { getLine, isIndented, recordUnclosed } from './extents.ts';

const IMPORT = /^import\s(?:[^"'`<>]*\sfrom\s+)?["'][^"']+["'];?$/;
const EXPORT =
  /^export\s+(?:(?:const|let|var)\s+[\w$[{]|(?:default\s+)?(?:async\s+)?function\b|(?:default\s+)?class\s|\{|\*\s|default\s+(?:\(|[\w$]+;?$))/;
const COMMENT = /^\{\/\*/;
/** Limits of a script block. A longer script ends at its first blank line. */
const MAX_SCRIPT_LINES = 200;
const MAX_SCRIPT_LENGTH = 16 * 1024;

/** Hides imports, exports and comments of MDX, because they are not content. */
export function parseScript(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line) || silent) return false;
  const first = getLine(state, line);
  const isComment = COMMENT.test(first);
  const isPlain = /^(?:im|ex)port\s/.test(first) && (IMPORT.test(first) || EXPORT.test(first) || isOpenImport(first));
  if (!isComment && !isPlain) return false;
  const last = Math.min(endLine, line + MAX_SCRIPT_LINES);
  const end = isComment ? findCommentEnd(state, line, last) : findScriptEnd(state, line, last);
  if (end === undefined || (end >= last && last === endLine)) recordUnclosed(state, line, endLine);
  const stop = end ?? findBlankLine(state, line, last);
  const text = state.getLines(line, stop, 0, false);
  if ((isComment && end === undefined) || mayBeConditional(text)) return false;
  const reading = state.env as BlockReading;
  reading.imports ??= new Map();
  for (const { name, address } of isComment ? [] : findImportedImages(text)) reading.imports.set(name, address);
  return addSilentToken(state, line, stop);
}

const isOpenImport = (text: string): boolean => /^import\s+(?:[\w$]+\s*,\s*)?\{[^{}]*$/.test(text);

/** Returns the line after a comment; undefined if it is not closed. */
function findCommentEnd(state: StateBlock, line: number, last: number): number | undefined {
  for (let end = line; end < last; end += 1) if (getLine(state, end).endsWith('*/}')) return end + 1;
  return undefined;
}

function findBlankLine(state: StateBlock, line: number, last: number): number {
  let end = line + 1;
  while (end < last && !state.isEmpty(end)) end += 1;
  return end;
}

/**
 * Returns the line after a script, which is the first blank line outside of brackets. Undefined if a bracket is not
 * closed before the limits, or before the next import or export, which cannot be within brackets.
 */
function findScriptEnd(state: StateBlock, line: number, last: number): number | undefined {
  const brackets = new Brackets();
  let length = 0;
  for (let end = line; end < last; end += 1) {
    if (state.isEmpty(end) && !brackets.isOpen) return end;
    const text = getLine(state, end);
    if (end > line && brackets.areOpenInCode && state.isEmpty(end - 1) && /^(?:im|ex)port\s/.test(text))
      return undefined;
    length += text.length;
    if (length > MAX_SCRIPT_LENGTH) return undefined;
    brackets.read(text);
  }
  return brackets.isOpen ? undefined : last;
}

/** Counts the brackets of a script by line, without those in strings. */
class Brackets {
  #depth = 0;
  #quote = '';

  get isOpen(): boolean {
    return this.#depth > 0 || this.#quote !== '';
  }

  /** Whether a bracket is open and the position is not in a string. */
  get areOpenInCode(): boolean {
    return this.#depth > 0 && this.#quote === '';
  }

  read(line: string): void {
    for (const [sign] of line.matchAll(/\\.|["'`()[\]{}]/g)) {
      if (sign.startsWith('\\')) continue;
      if (this.#quote !== '') this.#quote = sign === this.#quote ? '' : this.#quote;
      else if ('"\'`'.includes(sign)) this.#quote = sign;
      else this.#depth += '([{'.includes(sign) ? 1 : -1;
    }
    // Only template literals continue on the next line; an apostrophe may be part of a text.
    if (this.#quote !== '`') this.#quote = '';
  }
}
