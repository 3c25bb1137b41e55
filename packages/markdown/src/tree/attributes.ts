import type MarkdownIt from 'markdown-it';
import type { StateBlock, StateInline } from 'markdown-it';
import { findIds, isAttributeList } from '../headings.ts';
import { findThemedSources, matchHtmlTag } from '../links/destinations.ts';
import { mayBeConditional } from './conditions.ts';
import { addSilentToken, close, getStyle, openBlock } from './dialects.ts';
import type { Block, Inline, TreeData } from './document-tree.ts';
import { addTagIds, createBlock, createUrlReference, inline } from './document-tree.ts';
import type { BlockReading } from './extents.ts';
import { getLine, isIndented } from './extents.ts';
import type { JsxTag } from './jsx.ts';
import { findAttribute, readJsxTag } from './jsx.ts';
import { createAttributeListPattern, createListPattern } from './markup.ts';

const AT = createListPattern();
const BEHIND = createAttributeListPattern();

/** Removes attribute lists that follow links, images and marks. */
export const removeAttributeLists = (text: string): string => (text.includes('{') ? text.replace(BEHIND, '') : text);

/** Adds the rule for attribute lists that follow links, images and marks (kramdown, MkDocs, VitePress). */
export function addAttributeListRules({ inline: { ruler } }: InstanceType<typeof MarkdownIt>): void {
  ruler.before('backticks', 'attributes', (state: StateInline, silent: boolean) => {
    if (state.src.charAt(state.pos) !== '{') return false;
    AT.lastIndex = state.pos;
    const [source] = AT.exec(state.src) ?? [];
    if (source === undefined || state.pos + source.length > state.posMax) return false;
    if (!source.startsWith('{:') && !/[)\]`*_>:]/.test(state.src.charAt(state.pos - 1))) return false;
    const data = addTagIds({ html: '', markup: { text: source } }, findIds(source));
    if (!silent) state.push('form', '', 0).meta = { node: inline('html', data) };
    state.pos += source.length;
    return true;
  });
}

/** Parses an attribute list that applies to the next block. Its class can make the block a hint. */
export function parseAttributeLine(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (parseKramdown(state, line, endLine, silent)) return true;
  const text = isIndented(state, line) ? '' : getLine(state, line);
  if (!/^[{[]/.test(text) || (!CONTENTS.test(text) && !isClassList(text))) return false;
  if (silent) return true;
  const style = [...text.matchAll(/\.([\w-]+)/g)]
    .map(([, name = '']) => getStyle(name.replace(/-title$/, '')))
    .find(Boolean);
  if (style === undefined || line + 1 >= endLine || /^(?:\{|$)/.test(getLine(state, line + 1)))
    return addSilentToken(state, line, line + 1);
  const { tokens } = state;
  const meaning = { type: 'hint', data: { style } };
  const token = openBlock(state, { meaning, markup: { open: text }, span: { line, end: line + 2 } });
  const [lineMax, count] = [state.lineMax, tokens.length];
  state.lineMax = endLine;
  parseSingleBlock(state, line + 1, endLine);
  state.lineMax = lineMax;
  if (tokens.length === count) state.line = line + 1;
  token.map = [line, state.line];
  close(state, 'hint');
  return true;
}

const EXTENSION = /^\{:(?::[a-z]{1,20}(?:[ \t][^{}]{0,500})?|\/[a-z]{0,20})\}$/;
/** kramdown: the line after a list that is replaced by a table of contents. */
const LIST_CONTENTS = /^\{:(?:[ \t]{0,9}[.#][\w-]{1,100}){0,9}[ \t]{0,9}toc(?:[ \t][^{}]{0,200})?\}$/i;

/** Hides kramdown's comments, its options, and the list that a table of contents replaces. */
function parseKramdown(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const text = isIndented(state, line) ? '' : getLine(state, line).trim();
  if (/^(?:[-*+]|\d{1,9}[.)])[ \t]+\S/.test(text) && line + 1 < endLine) {
    const isContents = LIST_CONTENTS.test(getLine(state, line + 1).trim());
    return isContents && (silent || addSilentToken(state, line, line + 2));
  }
  if (!EXTENSION.test(text)) return false;
  if (!/^\{::comment\b/.test(text) || text.endsWith('/}')) return silent || addSilentToken(state, line, line + 1);
  let end = line + 1;
  while (end < endLine && !/^\{:\/(?:comment)?\}$/.test(getLine(state, end).trim())) end += 1;
  const isHidden = end < endLine && !mayBeConditional(state.getLines(line, end, 0, false));
  return isHidden && (silent || addSilentToken(state, line, end + 1));
}

/** Markers of other generators for a table of contents. */
const CONTENTS = /^(?:\{:[ \t]{0,9}toc[ \t]{0,9}\}|\[\[?_?toc_?\]?\])$/i;

const isClassList = (text: string): boolean =>
  /^\{(?::|[ \t]{0,9}\.)/.test(text) && isAttributeList(text) && !/[\s{:]#/.test(text);

/** Parses the single block that begins at a line. */
function parseSingleBlock(state: StateBlock, line: number, endLine: number): void {
  state.line = line;
  for (const rule of state.md.block.ruler.getRules('')) if (rule(state, line, endLine, false)) return;
}

/** Whether a tag shows an image, judged by its name. Astro and Next have their own image components. */
export const drawsImage = (name: string): boolean => /^(?:img|Image|Img|Picture|ThemedImage)$/.test(name);

/** Matches `{logo}` and `{logo.src}`. */
const NAME = /^\{\s*([\w$]{1,100})(?:\.src)?\s*\}$/;

/** Returns the image of a tag, whose attributes may be scripts; undefined if its address is unknown. */
export function readTagImage(source: string, reading: BlockReading): Inline | undefined {
  const data = getData(source, reading);
  return data && inline('inline-image', addTagIds({ ...data, markup: { text: source } }, findIds(source, true)));
}

/** Like `readTagImage`, for a tag that is a block. */
export function readTagImageBlock(source: string, reading: BlockReading): Block | undefined {
  const tag = /^<[^<>]*>$/.test(source) ? readJsxTag(source, 0) : undefined;
  const data = tag && drawsImage(tag.name) ? getData(source, reading) : undefined;
  if (tag === undefined || data === undefined) return undefined;
  const sizes: TreeData = {};
  for (const name of ['width', 'height']) {
    const size = findAttribute(tag, name) ?? getNumber(tag, name);
    if (size !== undefined) sizes[name] = size;
  }
  return createBlock('images', {}, [createBlock('image', { ...data, ...sizes })]);
}

const getNumber = ({ attributes }: JsxTag, name: string): string | undefined =>
  /^\{\s*(\d{1,9})\s*\}$/.exec(attributes.find((each) => each.name === name)?.value ?? '')?.[1];

function getData(source: string, reading: BlockReading): TreeData | undefined {
  const tag = readJsxTag(source, 0);
  if (tag === undefined || mayBeConditional(source)) return undefined;
  if (tag.name === 'ThemedImage') return readThemedImage(tag, reading);
  const { value = '' } = tag.attributes.find(({ name }) => name === 'src') ?? {};
  const imported = reading.imports?.get(NAME.exec(value)?.[1] ?? '');
  const url = imported ?? matchHtmlTag(source, 0)?.occurrence?.target;
  return url === undefined ? undefined : { ref: createUrlReference(url), alt: findAttribute(tag, 'alt') ?? '' };
}

const IMPORTED = /\b(light|dark)\s{0,9}:\s{0,9}([\w$]{1,100})(?:\.(?:default|src))?\s{0,9}[,}]/g;

/** Returns the data of an image with a light and a dark variant. */
function readThemedImage(tag: JsxTag, { imports }: BlockReading): TreeData | undefined {
  const script = tag.attributes.find(({ name }) => name === 'sources')?.value ?? '';
  const themedImports = [...script.matchAll(IMPORTED)].map(
    ([, theme = '', name = '']) => [theme, imports?.get(name)] as const,
  );
  const themedTargets = findThemedSources(script).map(({ theme, target }) => [theme, target] as const);
  const sources = new Map([...themedImports.filter(([, address]) => address !== undefined), ...themedTargets]);
  const [light, dark] = [sources.get('light') ?? sources.get('dark'), sources.get('dark')];
  if (light === undefined) return undefined;
  const refDark = dark === undefined || dark === light ? {} : { refDark: createUrlReference(dark) };
  return { ref: createUrlReference(light), ...refDark, alt: findAttribute(tag, 'alt') ?? '' };
}
