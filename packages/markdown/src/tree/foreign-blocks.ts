import type { StateBlock, Token } from 'markdown-it';
import type { Meaning } from './dialects.ts';

/** How a block of another family was written: its first and last line, and what stands before each line of its content. */
export interface Written {
  open: string;
  close?: string;
  prefix?: string;
}

type LineSpan = { line: number; end: number };

type Opened = { meaning: Meaning; written: Written; place: LineSpan };

/** Opens a block, with its title as its first text. */
export function open(state: StateBlock, opened: Opened): Token {
  const token = openTag(state, opened);
  title(state, opened.place.line, opened.meaning.title);
  return token;
}

export function openTag(state: StateBlock, { meaning, written, place }: Opened): Token {
  const { type, data } = meaning;
  const isFold = type === 'expandable';
  const token = state.push(isFold ? 'details_open' : 'tag_open', '', 1);
  token.map = [place.line, place.end];
  token.meta = { ...(isFold && data), type, data, written };
  return token;
}

/** A title is a text in bold: hints and steps have none of their own. */
export function title(state: StateBlock, line: number, text: string | undefined): void {
  if (text !== undefined && text !== '') paragraph(state, line, text).meta = { isTitle: true };
}

/** A paragraph of a part of a line. */
export function paragraph(state: StateBlock, line: number, text: string): Token {
  const opening = state.push('paragraph_open', 'p', 1);
  opening.map = [line, line + 1];
  const inline = state.push('inline', '', 0);
  inline.content = text;
  inline.map = [line, line + 1];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  return opening;
}

export const close = (state: StateBlock, type: string): unknown =>
  state.push(type === 'expandable' ? 'details_close' : 'tag_close', '', -1);

/** What is no content stays as it is written, `shown` is HTML that stands for it; its tags and addresses are known to those who look for links. */
export function put(state: StateBlock, line: number, end: number, isOwn = false, shown = ''): true {
  const token = state.push('silent', '', 0);
  token.content = state.getLines(line, end, state.blkIndent, false).trimEnd();
  token.map = [line, end];
  token.meta = { isOwn, shown };
  state.line = end;
  return true;
}
