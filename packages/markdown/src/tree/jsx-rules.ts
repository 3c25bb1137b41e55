import type { StateBlock } from 'markdown-it';
import { mayBeConditional } from './conditions.ts';
import type { BlockReading } from './extents.ts';
import { getLine, isIndented, parseInside } from './extents.ts';
import { MAX_JSX_LENGTH, readJsxTag } from './jsx.ts';
import { CLOSING_TAGS, CONTAINER_TAG, MAX_TAG_LINES } from './jsx-elements.ts';

function isInJsx(state: StateBlock, line: number): boolean {
  const { jsxLines, firstLine = 0 } = state.env as BlockReading;
  return jsxLines?.has(line + firstLine) === true;
}

/** Parses the tag of an element as a block of its own, so that the lines after it are markdown. */
export function parseJsxTag(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (!isInJsx(state, line) || isIndented(state, line) || !CONTAINER_TAG.test(getLine(state, line))) return false;
  const end = findTagEnd(state, line, Math.min(endLine, line + MAX_TAG_LINES));
  if (end === undefined) return false;
  if (silent) return true;
  const token = state.push('html_block', '', 0);
  token.content = state.getLines(line, end, state.blkIndent, true);
  token.map = [line, end];
  state.line = end;
  return true;
}

/** Returns the line after a tag. The lines of the tag may contain other closing tags, but no text. */
function findTagEnd(state: StateBlock, line: number, endLine: number): number | undefined {
  let text = '';
  for (let next = line; next < endLine && !state.isEmpty(next) && text.length <= MAX_JSX_LENGTH; next += 1) {
    text += `${text === '' ? '' : '\n'}${getLine(state, next)}`;
    const tag = text.endsWith('>') && !mayBeConditional(text) ? readJsxTag(text, 0) : undefined;
    if (tag !== undefined) return CLOSING_TAGS.test(text.slice(tag.end).trim()) ? next + 1 : undefined;
  }
  return undefined;
}

/** Parses indented content of an element. */
export function parseIndentedJsx(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (silent || !isIndented(state, line) || !isInJsx(state, line)) return false;
  const indent = state.sCount[line] ?? 0;
  let end = line + 1;
  for (let next = end; next < endLine && isInJsx(state, next); next += 1) {
    if (state.isEmpty(next)) continue;
    if ((state.sCount[next] ?? 0) < indent) break;
    end = next + 1;
  }
  const { blkIndent } = state;
  state.blkIndent = indent;
  parseInside(state, line, end);
  state.blkIndent = blkIndent;
  state.line = end;
  return true;
}
