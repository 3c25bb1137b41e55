import type { StateBlock } from 'markdown-it';
import { matchHtmlTag } from '../links/destinations.ts';
import { drawsImage } from './attributes.ts';
import { isForeignControlFlow, mayBeConditional } from './conditions.ts';
import type { BlockMeaning } from './dialects.ts';
import { addParagraph, addSilentToken, addTitle, close, getTagMeaning, openTag } from './dialects.ts';
import { createUrlReference } from './document-tree.ts';
import type { BlockReading, Extent } from './extents.ts';
import { findExtent, getLine, isIndented, parseInside, parseInsideUntil } from './extents.ts';
import type { JsxElement, JsxTag } from './jsx.ts';
import { findAttribute, getAddressAttribute, readElements, readJsxTag } from './jsx.ts';
import { escapeHtmlText } from './markup.ts';
import { readTag } from './tags.ts';

/**
 * Parses a component at the start of a line. Its content is markdown. An unknown component is replaced by its content.
 */
export function parseComponent(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const text = getLine(state, line);
  if (!/^<\/?[A-Z]/.test(text) || isIndented(state, line)) return false;
  const { extents, firstLine = 0 } = state.env as BlockReading;
  const openExtent = extents?.get(line + firstLine);
  if (openExtent?.tagEnd === undefined || openExtent.tagEnd - firstLine >= endLine) return false;
  const tagEnd = openExtent.tagEnd - firstLine;
  const source = state.getLines(line, tagEnd + 1, state.blkIndent, false).trim();
  const tag = readJsxTag(source, 0);
  if (tag === undefined || mayBeConditional(source)) return false;
  const extent = openExtent.isVoid === true ? undefined : findExtent(state, line, endLine);
  const rest = source.slice(tag.end).trim();
  if (rest !== '' && openExtent.isVoid !== true && extent === undefined) return false;
  if (silent) return true;
  const meaning = tag.closes ? undefined : getTagMeaning(tag);
  if (/^(?:CodeBlock|Code)$/.test(tag.name)) return parseComponentCode(state, { line, tagEnd, endLine, source, tag });
  if (isInlineLinkComponent(tag)) return false;
  if (rest !== '' && extent === undefined) return parseOneLine(state, line, source);
  if (tag.isEmpty && drawsImage(tag.name)) return parseImage(state, { line, end: tagEnd + 1, source });
  const isKnown = meaning !== undefined && (extent !== undefined || (tag.isEmpty && isVisibleWhenEmpty(meaning, tag)));
  if (!isKnown) {
    const caption = extent === undefined && !tag.isEmpty ? '' : getCaption(tag);
    return addSilentToken(state, line, tagEnd + 1, false, caption);
  }
  const end = (extent?.end ?? tagEnd) + 1;
  const markup = {
    open: source.slice(0, tag.end),
    ...(extent && { close: extent.closing ?? getLine(state, extent.end) }),
  };
  openTag(state, { meaning: toCardMeaning(meaning, tag, source), markup, span: { line, end } });
  if (rest === '') addSilentToken(state, line, tagEnd + 1, true);
  addTitle(state, line, meaning.title);
  if (extent !== undefined && rest === '') parseContent(state, tagEnd + 1, extent);
  else if (extent !== undefined) parseAfterPrefix(state, line, tag.end, () => parseContent(state, line, extent));
  close(state, meaning.type);
  state.line = end;
  return true;
}

/** Whether a component without content is visible: any component with a title, and a card with attributes. */
const isVisibleWhenEmpty = (meaning: BlockMeaning, tag: JsxTag): boolean =>
  meaning.title !== undefined || (meaning.type === 'card' && tag.attributes.length > 0);

function parseImage(state: StateBlock, { line, end, source }: { line: number; end: number; source: string }): true {
  const token = state.push('html_block', '', 0);
  token.content = source;
  token.map = [line, end];
  state.line = end;
  return true;
}

/** Whether a component is a button or a link, which are inline. */
const isInlineLinkComponent = (tag: JsxTag): boolean =>
  !tag.closes && /^(?:Link|LinkButton|NavLink|Button)$/.test(tag.name) && getAddressAttribute(tag) !== undefined;

/** Returns the caption of an unknown component, as HTML. */
function getCaption(tag: JsxTag): string {
  const [number, file] = [findAttribute(tag, 'number'), findAttribute(tag, 'file-name', 'filename')];
  const captionText = findAttribute(tag, 'caption', 'title') ?? '';
  const words = escapeHtmlText(captionText)
    .replace(/<\/?[a-zA-Z][^<>]*>/g, '')
    .replace(/&#96;([^&]*)&#96;/g, '<code>$1</code>');
  const caption = number === undefined ? words : `Listing ${escapeHtmlText(number)}${words === '' ? '' : `: ${words}`}`;
  return [file === undefined ? '' : `<b>${escapeHtmlText(file)}</b>`, caption]
    .filter((each) => each !== '')
    .join('<br>');
}

/** Adds the texts and the target of a card's tag to its meaning. The card links to the target. */
function toCardMeaning(meaning: BlockMeaning, tag: JsxTag, source: string): BlockMeaning {
  if (meaning.type !== 'card') return meaning;
  const { target } = matchHtmlTag(source, 0)?.occurrence ?? {};
  const texts = {
    title: findAttribute(tag, 'title', 'label', 'name') ?? '',
    description: findAttribute(tag, 'description') ?? '',
  };
  return { ...meaning, data: { ...texts, ...(target !== undefined && { ref: createUrlReference(target) }) } };
}

/** Parses the content of a component, which may be indented as a whole. */
function parseContent(state: StateBlock, start: number, extent: Extent): void {
  const end = extent.closing === undefined ? extent.end : extent.end + 1;
  const { blkIndent } = state;
  let minIndent = Number.POSITIVE_INFINITY;
  for (let line = start; line < end; line += 1)
    if (!state.isEmpty(line)) minIndent = Math.min(minIndent, state.sCount[line] ?? 0);
  if (Number.isFinite(minIndent)) state.blkIndent = Math.max(blkIndent, minIndent);
  parseInsideUntil(state, start, extent);
  state.blkIndent = blkIndent;
}

/** Calls `readInner` while the first characters of a line are skipped. */
function parseAfterPrefix(state: StateBlock, line: number, length: number, readInner: () => void): void {
  const [begin = 0, shift = 0, count = 0] = [state.bMarks[line], state.tShift[line], state.sCount[line]];
  const from = begin + shift + length;
  const inner = state.src.slice(from, state.eMarks[line]);
  state.bMarks[line] = from;
  state.tShift[line] = inner.length - inner.trimStart().length;
  state.sCount[line] = Math.max(0, state.blkIndent);
  readInner();
  state.bMarks[line] = begin;
  state.tShift[line] = shift;
  state.sCount[line] = count;
}

/** Parses components that are all on one line, each with its content. */
function parseOneLine(state: StateBlock, line: number, source: string): boolean {
  const elements = readElements(source);
  if (elements === undefined) return false;
  const areCards = elements.length > 1 && elements.every(({ tag }) => getTagMeaning(tag)?.type === 'card');
  if (!areCards && state.level === 0 && countBlocks(source, elements, 0) > 1) return false;
  const { length } = state.tokens;
  if (areCards) {
    const cards = { type: 'cards', data: {} };
    openTag(state, { meaning: cards, markup: { open: '' }, span: { line, end: line + 1 } });
  }
  const isFilled = pushInlineComponent(state, { line, source, elements, offset: 0, depth: 0 });
  if (!isFilled) addSilentToken(state, line, line + 1, state.tokens.length > length);
  if (areCards) close(state, 'cards');
  state.line = line + 1;
  return true;
}

type ElementsOfLine = { line: number; source: string; elements: JsxElement[]; offset: number; depth: number };

/** Maximum nesting of components on one line. */
const MAX_DEPTH = 8;

/** Returns the meaning of a component on one line; undefined if the component is dropped because it is empty. */
function getMeaning(source: string, { tag, start, from, to }: JsxElement): BlockMeaning | undefined {
  const meaning = tag.isEmpty || source.slice(from, to).trim() !== '' ? getTagMeaning(tag) : undefined;
  return meaning && toCardMeaning(meaning, tag, source.slice(start));
}

const findNested = (inner: string, depth: number): JsxElement[] | undefined =>
  depth < MAX_DEPTH ? readElements(inner) : undefined;

/**
 * Returns the number of blocks on a line. At the top level, a line must result in one block, because the source of a
 * block is whole lines.
 */
const countBlocks = (source: string, elements: JsxElement[], depth: number): number =>
  elements
    .map((element) => {
      const inner = source.slice(element.from, element.to);
      if (getMeaning(source, element) !== undefined) return 1;
      const nested = findNested(inner, depth);
      return nested === undefined ? Number(inner.trim() !== '') : countBlocks(inner, nested, depth + 1);
    })
    .reduce((sum, count) => sum + count, 0);

/** Adds the components of a line. Returns whether any of them has text. */
function pushInlineComponent(state: StateBlock, { line, source, elements, offset, depth }: ElementsOfLine): boolean {
  let isFilled = false;
  for (const element of elements) {
    const { start, from, to, end } = element;
    const inner = source.slice(from, to);
    const meaning = getMeaning(source, element);
    const markup = { open: source.slice(start, from), close: source.slice(to, end) };
    if (meaning !== undefined) openTag(state, { meaning, markup, span: { line, end: line + 1 } });
    addTitle(state, line, meaning?.title);
    const nested = findNested(inner, depth);
    const inside = { line, source: inner, offset: offset + from, depth: depth + 1 };
    if (nested !== undefined) isFilled = pushInlineComponent(state, { ...inside, elements: nested }) || isFilled;
    else if (inner.trim() !== '') {
      isFilled = true;
      addText(state, line, { text: inner, offset: offset + from });
    }
    if (meaning !== undefined) close(state, meaning.type);
  }
  return isFilled;
}

/** Adds text as a paragraph if it begins with a tag, because HTML could otherwise continue over the line. */
function addText(state: StateBlock, line: number, { text, offset }: { text: string; offset: number }): void {
  if (text.trimStart().startsWith('<')) addParagraph(state, line, text.trim());
  else tokenizeLines(state, line, { from: offset, to: offset + text.length });
}

/** Parses a part of a line as blocks, with offsets from the start of the line's text. */
export function tokenizeLines(state: StateBlock, line: number, { from, to }: { from: number; to: number }): void {
  const [begin = 0, shift = 0, stop = 0] = [state.bMarks[line], state.tShift[line], state.eMarks[line]];
  state.eMarks[line] = begin + shift + to;
  parseAfterPrefix(state, line, from, () => parseInside(state, line, line + 1));
  state.eMarks[line] = stop;
}

type OpenedComponent = { line: number; tagEnd: number; endLine: number; source: string; tag: JsxTag };

/** Returns the code of a component: its content or its attribute `code`. */
function parseComponentCode(state: StateBlock, { line, tagEnd, endLine, source, tag }: OpenedComponent): boolean {
  if (tag.closes) return addSilentToken(state, line, tagEnd + 1);
  const codeAttribute = tag.attributes.find(({ name }) => name === 'code');
  const tagExtent = tag.isEmpty ? undefined : findExtent(state, line, endLine);
  const extent = tagExtent !== undefined && tagExtent.end > tagEnd ? tagExtent : undefined;
  const [inLine] = tag.isEmpty ? [] : (readElements(source) ?? []);
  const heldLines =
    extent === undefined
      ? inLine && source.slice(inLine.from, inLine.to)
      : state.getLines(tagEnd + 1, extent.end, state.blkIndent, false);
  const content =
    codeAttribute === undefined
      ? heldLines
      : (getScriptText(codeAttribute.value) ?? (codeAttribute.isExpression ? undefined : codeAttribute.value));
  const isShown = content !== undefined && content.trim() !== '' && !mayBeConditional(content);
  if (!isShown) return addSilentToken(state, line, tagEnd + 1);
  const language =
    findAttribute(tag, 'language', 'lang') ?? /language-([\w+#-]+)/.exec(findAttribute(tag, 'classname') ?? '')?.[1];
  const title = findAttribute(tag, 'title', 'filename');
  const isNumbered = tag.attributes.some(({ name }) => name === 'showLineNumbers');
  const info = [
    language ?? '',
    title === undefined ? '' : `title="${title.replace(/"/g, "'")}"`,
    isNumbered ? 'showLineNumbers' : '',
  ];
  const text = getScriptText(content) ?? dedent(content);
  pushCodeBlock(state, {
    line,
    end: (extent?.end ?? tagEnd) + 1,
    info: info.filter((each) => each !== '').join(' '),
    content: `${text.replace(/^\n|\s+$/g, '')}\n`,
  });
  return true;
}

/** Returns the string that a script consists of: `` {`let a;`} ``. */
function getScriptText(script: string): string | undefined {
  const [, quote, text] = /^\s*\{\s*(["'`])([\s\S]*)\1\s*\}\s*$/.exec(script) ?? [];
  return quote === undefined ? undefined : (text ?? '').replace(/\\([`\\$"'])/g, '$1');
}

function dedent(text: string): string {
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const minIndent = Math.min(...indents);
  return lines.map((line) => line.slice(minIndent)).join('\n');
}

/** Parses code, comments and raw text of Jekyll: `{% highlight js %}`, `{% raw %}`. */
export function parseLiquid(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const text = isIndented(state, line) ? '' : getLine(state, line);
  const tag = readTag(text);
  if (tag === undefined) return false;
  if (/^(?:end)?raw$/.test(tag.name)) return silent || addSilentToken(state, line, line + 1);
  if (isLogic(state, tag)) return silent || addSilentToken(state, line, line + 1);
  const extent = /^(?:highlight|comment)$/.test(tag.name) ? findExtent(state, line, endLine) : undefined;
  if (extent === undefined) return false;
  const content = state.getLines(line + 1, extent.end, state.blkIndent, true);
  if (mayBeConditional(text) || mayBeConditional(content)) return false;
  if (silent) return true;
  if (tag.name === 'comment') return addSilentToken(state, line, extent.end + 1);
  pushCodeBlock(state, { line, end: extent.end + 1, info: tag.rest, content });
  return true;
}

type Tag = { name: string; rest: string };

/**
 * Whether a tag is a condition or a loop of another generator. Such a tag is dropped and its content shown. Conditions
 * are dropped only if all conditions of the document belong to other generators.
 */
const isLogic = (state: StateBlock, { name, rest }: Tag): boolean =>
  isForeignControlFlow(name)
    ? !mayBeConditional(rest)
    : (state.env as BlockReading).isForeign === true && /^(?:if|elseif|elsif|else|endif)$/.test(name);

type Code = { line: number; end: number; info: string; content: string };

export function pushCodeBlock(state: StateBlock, { line, end, info, content }: Code): void {
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

/** Converts a block of a known integration: a diagram to code, an address to an embed. */
export function parseIntegration(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const first = isIndented(state, line) ? '' : getLine(state, line);
  if (!/^\{%-?[ \t]*@/.test(first)) return false;
  let end = line;
  for (let length = 0; !getLine(state, end).endsWith('%}'); end += 1) {
    length += getLine(state, end).length;
    const isTooLong = end - line > MAX_TAG_LINES || length > MAX_TAG_LENGTH;
    if (isTooLong || end + 1 >= endLine || getLine(state, end + 1).startsWith('{%')) return false;
  }
  const source = state.getLines(line, end + 1, state.blkIndent, false).trim();
  const [opening = '', name = ''] = NAME.exec(source) ?? [];
  const { content, url } = getAttributes(source.slice(opening.length));
  const isDiagram = /^mermaid\//.test(name) && content !== undefined;
  const isEmbed = !isDiagram && url !== undefined && end === line;
  if (mayBeConditional(source) || (!isDiagram && !isEmbed)) return false;
  if (silent) return true;
  if (isDiagram) pushCodeBlock(state, { line, end: end + 1, info: 'mermaid', content: `${content}\n` });
  else {
    const token = state.push('tag', '', 0);
    token.meta = { name: 'embed', data: { ref: { kind: 'url', url: url ?? '' } } };
    token.map = [line, end + 1];
    state.line = end + 1;
  }
  return true;
}

function getAttributes(rest: string): { content?: string; url?: string } {
  const attributes: { content?: string; url?: string } = {};
  ATTRIBUTE.lastIndex = rest.length - rest.trimStart().length;
  for (let each = ATTRIBUTE.exec(rest); each !== null; each = ATTRIBUTE.exec(rest)) {
    const [, name = '', value = ''] = each;
    if (name === 'content')
      attributes.content = value.replace(/\\(n|[\s\S])/g, (_, sign) => (sign === 'n' ? '\n' : sign));
    else if (name === 'url' && /^[^\s\\]+$/.test(value)) attributes.url = value;
  }
  return attributes;
}
