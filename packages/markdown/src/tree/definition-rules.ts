import type MarkdownIt from 'markdown-it';
import type { StateBlock } from 'markdown-it';
import { inside, isIndented, lineOf } from './block-state.ts';
import { mayBeConditional } from './conditions.ts';
import { close, open, put } from './foreign-blocks.ts';

/** Adds the rules of lists of terms and of abbreviations, as PHP Markdown Extra, kramdown and MkDocs have them. */
export function withDefinitions({ block: { ruler } }: InstanceType<typeof MarkdownIt>): void {
  ruler.before('list', 'abbreviation', abbreviation, { alt: ['paragraph', 'reference'] });
  ruler.before('lheading', 'definitions', definitions);
}

const ABBREVIATION = /^\*\[[^[\]]{1,100}\]:(?:[ \t]|$)/;

/** What an abbreviation stands for is no content; a line that ends as it begins is emphasised. */
function abbreviation(state: StateBlock, line: number, _endLine: number, silent: boolean): boolean {
  const text = isIndented(state, line) ? '' : lineOf(state, line);
  if (!ABBREVIATION.test(text) || text.trimEnd().endsWith('*') || mayBeConditional(text)) return false;
  return silent || put(state, line, line + 1);
}

const DEFINITION = /^:[ \t]+(?=\S)/;
const isDefinition = (state: StateBlock, line: number, endLine: number): boolean =>
  line < endLine && !isIndented(state, line) && DEFINITION.test(lineOf(state, line));

/** A term is a line; its definitions begin with a colon each, right below it or after one empty line. */
function definitions(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (silent || isIndented(state, line) || lineOf(state, line).startsWith(':')) return false;
  const isApart = line + 1 < endLine && state.isEmpty(line + 1);
  let next = isApart ? line + 2 : line + 1;
  if (!isDefinition(state, next, endLine)) return false;
  const meaning = { type: 'definitions', data: {}, title: lineOf(state, line) };
  const token = open(state, { meaning, written: { open: '' }, place: { line, end: line + 1 } });
  let end = next;
  while (isDefinition(state, next, endLine)) {
    end = definitionEnd(state, next, endLine);
    definition(state, next, end);
    next = end;
    while (next < endLine && state.isEmpty(next)) next += 1;
  }
  close(state, meaning.type);
  token.map = [line, end];
  state.line = end;
  return true;
}

const signLength = (state: StateBlock, line: number): number => DEFINITION.exec(lineOf(state, line))?.[0].length ?? 2;

/** The line after a definition: what is indented below it belongs to it, and what goes on with its text. */
function definitionEnd(state: StateBlock, line: number, endLine: number): number {
  const indent = state.blkIndent + Math.min(4, signLength(state, line));
  let end = line + 1;
  for (let next = end; next < endLine; next += 1) {
    if (state.isEmpty(next)) continue;
    const isOwn = (state.sCount[next] ?? 0) >= indent;
    const goesOn = next === end && !isDefinition(state, next, endLine) && !isDefinition(state, next + 1, endLine);
    if (!isOwn && !goesOn) break;
    end = next + 1;
  }
  return end;
}

/** Reads the lines of a definition without its colon, as those of an item of a list. */
function definition(state: StateBlock, line: number, end: number): void {
  const { blkIndent } = state;
  const [shift = 0, count = 0] = [state.tShift[line], state.sCount[line]];
  const length = signLength(state, line);
  state.blkIndent = blkIndent + Math.min(4, length);
  state.tShift[line] = shift + length;
  state.sCount[line] = state.blkIndent;
  inside(state, line, end);
  state.blkIndent = blkIndent;
  state.tShift[line] = shift;
  state.sCount[line] = count;
}
