import type { StateBlock } from 'markdown-it';
import { type BlockReading, extentAt, isIndented, lineOf } from './block-state.ts';
import { mayBeConditional } from './conditions.ts';
import { put } from './foreign-blocks.ts';
import { readTag } from './tags.ts';
import { isPlainLogic } from './variables.ts';

/** As Jekyll writes code, comments, and what is no template: `{% highlight js %}`, `{% raw %}`. */
export function liquid(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const text = isIndented(state, line) ? '' : lineOf(state, line);
  const tag = readTag(text);
  if (tag === undefined) return false;
  if (/^(?:end)?raw$/.test(tag.name)) return silent || put(state, line, line + 1);
  if (isLogic(state, tag)) return silent || put(state, line, line + 1);
  const extent = /^(?:highlight|comment)$/.test(tag.name) ? extentAt(state, line, endLine) : undefined;
  if (extent === undefined) return false;
  const content = state.getLines(line + 1, extent.end, state.blkIndent, true);
  if (mayBeConditional(text) || mayBeConditional(content)) return false;
  if (silent) return true;
  if (tag.name === 'comment') return put(state, line, extent.end + 1);
  putCode(state, { line, end: extent.end + 1, info: tag.rest, content });
  return true;
}

type Tag = { name: string; rest: string };

/**
 * Whether a tag says when or how often what follows is there: that is shown, and the tag is not. Conditions are such only
 * where all of the text are of other generators.
 */
const isLogic = (state: StateBlock, { name, rest }: Tag): boolean =>
  isPlainLogic(name)
    ? !mayBeConditional(rest)
    : (state.env as BlockReading).isForeign === true && /^(?:if|elseif|elsif|else|endif)$/.test(name);

export type Code = { line: number; end: number; info: string; content: string };

export function putCode(state: StateBlock, { line, end, info, content }: Code): void {
  const token = state.push('fence', 'code', 0);
  token.info = info;
  token.content = content;
  token.map = [line, end];
  state.line = end;
}

const MAX_TAG_LINES = 100;
const MAX_TAG_LENGTH = 16 * 1024;
const NAME = /^\{%-?[ \t]*@([\w-]+\/[\w-]+)\s/;
const ATTRIBUTE = /([a-zA-Z][\w-]*)="((?:[^"\\]|\\[\s\S])*)"\s*/y;

/** A block of an integration that is known here: a diagram is code, what has an address is embedded. */
export function integration(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const first = isIndented(state, line) ? '' : lineOf(state, line);
  if (!/^\{%-?[ \t]*@/.test(first)) return false;
  let end = line;
  for (let length = 0; !lineOf(state, end).endsWith('%}'); end += 1) {
    length += lineOf(state, end).length;
    const isOver = end - line > MAX_TAG_LINES || length > MAX_TAG_LENGTH;
    if (isOver || end + 1 >= endLine || lineOf(state, end + 1).startsWith('{%')) return false;
  }
  const source = state.getLines(line, end + 1, state.blkIndent, false).trim();
  const [opening = '', name = ''] = NAME.exec(source) ?? [];
  const { content, url } = attributesOf(source.slice(opening.length));
  const isDiagram = /^mermaid\//.test(name) && content !== undefined;
  const isEmbed = !isDiagram && url !== undefined && end === line;
  if (mayBeConditional(source) || (!isDiagram && !isEmbed)) return false;
  if (silent) return true;
  if (isDiagram) putCode(state, { line, end: end + 1, info: 'mermaid', content: `${content}\n` });
  else {
    const token = state.push('tag', '', 0);
    token.meta = { name: 'embed', data: { ref: { kind: 'url', url: url ?? '' } } };
    token.map = [line, end + 1];
    state.line = end + 1;
  }
  return true;
}

function attributesOf(rest: string): { content?: string; url?: string } {
  const found: { content?: string; url?: string } = {};
  ATTRIBUTE.lastIndex = rest.length - rest.trimStart().length;
  for (let each = ATTRIBUTE.exec(rest); each !== null; each = ATTRIBUTE.exec(rest)) {
    const [, name = '', value = ''] = each;
    if (name === 'content') found.content = value.replace(/\\(n|[\s\S])/g, (_, sign) => (sign === 'n' ? '\n' : sign));
    else if (name === 'url' && /^[^\s\\]+$/.test(value)) found.url = value;
  }
  return found;
}
