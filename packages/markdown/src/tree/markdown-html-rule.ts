import type { StateBlock } from 'markdown-it';
import { isIndented, lineOf } from './block-state.ts';
import { mayBeConditional } from './conditions.ts';
import { put } from './foreign-blocks.ts';

const OPENING =
  /^<(?:div|section|figure|article|aside|center)\b[^<>]{0,400}\smarkdown(?:="?(?:1|span|block)"?)?(?=[\s>])[^<>]{0,400}>$/;

/** As kramdown and MkDocs write HTML that holds markdown: its tag is nothing that is shown. */
export function markdownHtml(state: StateBlock, line: number, _endLine: number, silent: boolean): boolean {
  const text = isIndented(state, line) ? '' : lineOf(state, line);
  if (!text.startsWith('<') || !OPENING.test(text) || mayBeConditional(text)) return false;
  return silent || put(state, line, line + 1);
}
