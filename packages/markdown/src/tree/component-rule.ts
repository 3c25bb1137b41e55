import type { StateBlock } from 'markdown-it';
import { htmlTag } from '../links/tags.ts';
import { type BlockReading, extentAt, inside, isIndented, lineOf } from './block-state.ts';
import { type Meaning, meaningOfTag } from './dialects.ts';
import { urlReference } from './document-tree.ts';
import { close, open, openTag, put, title } from './foreign-blocks.ts';
import { attributeIn, type JsxTag, jsxTagAt } from './jsx.ts';
import { mayBeConditional } from './strict-tree.ts';

/** A component that begins a line. What it holds is markdown, and where its name says nothing it is that alone. */
export function component(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const text = lineOf(state, line);
  if (!/^<\/?[A-Z]/.test(text) || isIndented(state, line)) return false;
  const { extents, firstLine = 0 } = state.env as BlockReading;
  const known = extents?.get(line + firstLine);
  if (known?.tagEnd === undefined || known.tagEnd - firstLine >= endLine) return false;
  const tagEnd = known.tagEnd - firstLine;
  const source = state.getLines(line, tagEnd + 1, state.blkIndent, false).trim();
  const tag = jsxTagAt(source, 0);
  if (tag === undefined || mayBeConditional(source)) return false;
  if (silent) return true;
  const meaning = tag.closes ? undefined : meaningOfTag(tag);
  const extent = known.alone === true ? undefined : extentAt(state, line, endLine);
  const rest = source.slice(tag.end).trim();
  if (rest !== '') return oneLine(state, line, { meaning, source, start: tag.end });
  if (meaning === undefined || (extent === undefined && !tag.isEmpty)) return put(state, line, tagEnd + 1);
  const end = (extent?.end ?? tagEnd) + 1;
  const written = { open: source, ...(extent && { close: lineOf(state, extent.end) }) };
  openTag(state, { meaning: withAddress(meaning, tag, source), written, place: { line, end } });
  put(state, line, tagEnd + 1, true);
  title(state, line, meaning.title);
  if (extent !== undefined) content(state, tagEnd + 1, extent.end);
  close(state, meaning.type);
  state.line = end;
  return true;
}

/** A card leads where its tag does. */
function withAddress(meaning: Meaning, tag: JsxTag, source: string): Meaning {
  if (meaning.type !== 'card') return meaning;
  const { target } = htmlTag(source, 0)?.found ?? {};
  const texts = {
    title: attributeIn(tag, 'title', 'label', 'name') ?? '',
    description: attributeIn(tag, 'description') ?? '',
  };
  return { ...meaning, data: { ...texts, ...(target !== undefined && { ref: urlReference(target) }) } };
}

/** What a component holds may be indented as a whole. */
function content(state: StateBlock, start: number, end: number): void {
  const { blkIndent } = state;
  let least = Number.POSITIVE_INFINITY;
  for (let line = start; line < end; line += 1)
    if (!state.isEmpty(line)) least = Math.min(least, state.sCount[line] ?? 0);
  if (Number.isFinite(least)) state.blkIndent = Math.max(blkIndent, least);
  inside(state, start, end);
  state.blkIndent = blkIndent;
}

/** A component that opens and ends in one line. */
function oneLine(
  state: StateBlock,
  line: number,
  { meaning, source, start }: { meaning: Meaning | undefined; source: string; start: number },
): boolean {
  const inner = source.slice(start, source.lastIndexOf('</'));
  if (/^\s*(?:<|$)/.test(inner) || meaning?.type === 'card') return false;
  const [begin = 0, shift = 0, count = 0, stop = 0] = [state.bMarks, state.tShift, state.sCount, state.eMarks].map(
    (each) => each[line],
  );
  const close_ = source.slice(source.lastIndexOf('</'));
  if (meaning !== undefined)
    open(state, { meaning, written: { open: source.slice(0, start), close: close_ }, place: { line, end: line + 1 } });
  state.bMarks[line] = begin + shift + start;
  state.tShift[line] = inner.length - inner.trimStart().length;
  state.sCount[line] = Math.max(0, state.blkIndent);
  state.eMarks[line] = begin + shift + start + inner.length;
  inside(state, line, line + 1);
  state.bMarks[line] = begin;
  state.tShift[line] = shift;
  state.sCount[line] = count;
  state.eMarks[line] = stop;
  if (meaning !== undefined) close(state, meaning.type);
  state.line = line + 1;
  return true;
}
