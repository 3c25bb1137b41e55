import type MarkdownIt from 'markdown-it';
import type { StateBlock, StateInline } from 'markdown-it';
import { isAttributeList } from '../headings.ts';
import { attributeList, attributeListsIn } from './attribute-pattern.ts';
import { isIndented, lineOf } from './block-state.ts';
import { styleOf } from './dialects.ts';
import { inline } from './document-tree.ts';
import { close, open, put } from './foreign-blocks.ts';

const AT = attributeList();
const BEHIND = attributeListsIn();

/** A text without the lists of attributes behind its links, images and marks. */
export const withoutAttributeLists = (text: string): string => (text.includes('{') ? text.replace(BEHIND, '') : text);

/** Adds the rule of attributes of links, images and marks, as kramdown, MkDocs and VitePress write them behind these. */
export function withAttributeLists({ inline: { ruler } }: InstanceType<typeof MarkdownIt>): void {
  ruler.before('backticks', 'attributes', (state: StateInline, silent: boolean) => {
    if (state.src.charAt(state.pos) !== '{') return false;
    AT.lastIndex = state.pos;
    const [source] = AT.exec(state.src) ?? [];
    if (source === undefined || state.pos + source.length > state.posMax) return false;
    if (!source.startsWith('{:') && !/[)\]`*_>:]/.test(state.src.charAt(state.pos - 1))) return false;
    if (!silent) state.push('form', '', 0).meta = { node: inline('html', { html: '', markup: { text: source } }) };
    state.pos += source.length;
    return true;
  });
}

/** A line of attributes of the block beside it: a class may say that what follows is a hint. */
export function attributeLine(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const text = isIndented(state, line) ? '' : lineOf(state, line);
  if (!/^[{[]/.test(text) || (!CONTENTS.test(text) && !isClassList(text))) return false;
  if (silent) return true;
  const style = [...text.matchAll(/\.([\w-]+)/g)]
    .map(([, name = '']) => styleOf(name.replace(/-title$/, '')))
    .find(Boolean);
  if (style === undefined || line + 1 >= endLine || /^(?:\{|$)/.test(lineOf(state, line + 1)))
    return put(state, line, line + 1);
  const { tokens } = state;
  const meaning = { type: 'hint', data: { style } };
  const token = open(state, { meaning, written: { open: text }, place: { line, end: line + 2 } });
  const [lineMax, count] = [state.lineMax, tokens.length];
  state.lineMax = endLine;
  readOne(state, line + 1, endLine);
  state.lineMax = lineMax;
  if (tokens.length === count) state.line = line + 1;
  token.map = [line, state.line];
  close(state, 'hint');
  return true;
}

/** Where other generators put a table of contents. */
const CONTENTS = /^(?:\{:[ \t]{0,9}toc[ \t]{0,9}\}|\[\[?_?toc_?\]?\])$/i;

const isClassList = (text: string): boolean =>
  /^\{(?::|[ \t]{0,9}\.)/.test(text) && isAttributeList(text) && !/[\s{:]#/.test(text);

/** Reads the one block that begins at a line. */
function readOne(state: StateBlock, line: number, endLine: number): void {
  state.line = line;
  for (const rule of state.md.block.ruler.getRules('')) if (rule(state, line, endLine, false)) return;
}
