import type { StateBlock, Token } from 'markdown-it';
import type { TreeData } from './document-tree.ts';
import type { JsxTag } from './jsx.ts';
import { findAttribute } from './jsx.ts';
import { escapeText } from './markup.ts';

/** The meaning of another dialect's block: the type of its tokens, its data and its title. */
export interface BlockMeaning {
  type: string;
  data: TreeData;
  title?: string;
}

const STYLES: Record<string, string> = {
  ...Object.fromEntries(
    ['note', 'info', 'important', 'abstract', 'summary', 'tldr', 'todo', 'seealso', 'question', 'help', 'faq']
      .concat('example', 'quote', 'cite', 'definition', 'new', 'default', 'secondary', 'primary')
      .map((name) => [name, 'info']),
  ),
  ...Object.fromEntries(['tip', 'hint', 'success', 'check', 'done'].map((name) => [name, 'success'])),
  ...Object.fromEntries(['warning', 'warn', 'caution', 'attention', 'deprecated'].map((name) => [name, 'warning'])),
  ...Object.fromEntries(
    ['danger', 'error', 'bug', 'failure', 'fail', 'missing', 'critical'].map((name) => [name, 'danger']),
  ),
};

/** Returns the hint style for a name that another dialect uses; undefined for unknown names. */
export const getStyle = (name: string): string | undefined => {
  const key = name.toLowerCase();
  return Object.hasOwn(STYLES, key) ? STYLES[key] : undefined;
};

/** Maps GitHub's `CAUTION` alert to the style `danger`. */
export const getAlertStyle = (name: string): string | undefined =>
  name.toLowerCase() === 'caution' ? 'danger' : getStyle(name);

const createHint = (style: string, title: string | undefined): BlockMeaning => ({
  type: 'hint',
  data: { style },
  ...(title === undefined || title === '' ? {} : { title }),
});
const createExpandable = (title: string | undefined, isOpen: boolean): BlockMeaning => ({
  type: 'expandable',
  data: { title: escapeText(title || 'Details'), ...(isOpen && { open: true }) },
});

/** Returns the meaning of a `:::` or shortcode block, by its name and arguments. */
export function getMeaningByName(name: string, rest: string): BlockMeaning | undefined {
  const key = name.toLowerCase();
  const [title, options] = splitTitle(rest);
  const givenTitle = /\b(?:title|name|header|summary|label)="([^"]*)"/.exec(options)?.[1] ?? title;
  if (/^(?:details|dropdown|expand|collapse|spoiler)$/.test(key))
    return {
      type: 'expandable',
      data: { title: givenTitle || 'Details', ...(/\bopen\b/.test(options) && { open: true }) },
    };
  if (/^(?:code-group|tabs|tab-set|tabpane)$/.test(key)) return { type: 'tabs', data: {} };
  if (key === 'steps') return { type: 'stepper', data: {} };
  if (key === 'cards' || key === 'columns') return { type: key, data: {} };
  if (/^(?:tab|tab-item)$/.test(key)) return { type: 'tabs-item', data: { title: givenTitle } };
  if (/^(?:notice|alert|admonition|callout)$/.test(key) || (key === 'hint' && rest !== ''))
    return getHintByOption(rest, options);
  const style = getStyle(key);
  return style === undefined ? undefined : createHint(style, givenTitle);
}

/**
 * Returns the hint of a shortcode such as `{{< hint warning >}}`, `{{% notice tip "Title" %}}` or `{{< callout
 * type="info" >}}`.
 */
function getHintByOption(rest: string, options: string): BlockMeaning {
  const hintName = /\b(?:type|style|color|class)="?([\w-]+)/.exec(options)?.[1] ?? /^\w+/.exec(rest)?.[0] ?? '';
  const title = /\btitle="([^"]*)"/.exec(options)?.[1] ?? /^\w+[ \t]+"([^"]*)"/.exec(rest)?.[1];
  return createHint(getStyle(hintName) ?? 'info', title);
}

/** Splits a title, which may be in brackets or quotes, from the options after it. */
function splitTitle(rest: string): [title: string, options: string] {
  const options = /\{[^{}]*\}[ \t]*$/.exec(rest)?.[0] ?? '';
  const text = rest.slice(0, rest.length - options.length).trim();
  if (/^\[.*\]$/.test(text) || /^"[^"]*"$/.test(text)) return [text.slice(1, -1), options];
  const [quoted, quotedTitle] = /^"([^"]*)"[ \t]+\w[^"]*$/.exec(text) ?? [];
  if (quoted !== undefined) return [quotedTitle ?? '', text.slice(quoted.lastIndexOf('"') + 1)];
  return /^[\w-]+="/.test(text) ? ['', text] : [text, options];
}

/** Returns the title in a component's summary attribute: `summary={<summary>More</summary>}`. */
const getSummary = ({ attributes }: JsxTag): string | undefined =>
  /^\{\s*<summary>([^<>]*)<\/summary>\s*\}$/.exec(attributes.find(({ name }) => name === 'summary')?.value ?? '')?.[1];

const COMPONENTS: Record<string, string> = {
  tabs: 'tabs',
  codegroup: 'tabs',
  codetabs: 'tabs',
  steps: 'stepper',
  cardgrid: 'cards',
  cards: 'cards',
  cardgroup: 'cards',
  linkcard: 'card',
  card: 'card',
  'cards.card': 'card',
};
const HINTS = /^(?:aside|admonition|callout|alert|hint)$/;
const FOLDS = /^(?:details|accordion|expandable|collapse|collapsible|expander)$/;

/** Returns the meaning of a component with a well-known name. */
export function getTagMeaning(tag: JsxTag): BlockMeaning | undefined {
  const name = tag.name.toLowerCase();
  const title = findAttribute(tag, 'title', 'label', 'summary', 'header', 'name');
  if (/^(?:tab|tabitem|tabs\.tab|tabs\.item)$/.test(name))
    return {
      type: 'tabs-item',
      data: { title: (findAttribute(tag, 'label', 'title', 'name', 'value') ?? '').replaceAll('](', '] (') },
    };
  if (name === 'step' || name === 'steps.step') return { type: 'stepper-step', data: {}, ...(title && { title }) };
  if (HINTS.test(name))
    return createHint(getStyle(findAttribute(tag, 'type', 'variant', 'kind', 'style') ?? '') ?? 'info', title);
  if (FOLDS.test(name))
    return createExpandable(
      title ?? getSummary(tag),
      tag.attributes.some((each) => /^(?:open|defaultopen)$/i.test(each.name)),
    );
  if (/^(?:note|tip|info|warning|caution|danger|check)$/.test(name)) return createHint(getStyle(name) ?? 'info', title);
  const type = Object.hasOwn(COMPONENTS, name) ? COMPONENTS[name] : undefined;
  return type === undefined ? undefined : { type, data: {} };
}

/** The source form of another dialect's block: its first and last line, and the prefix of its content lines. */
export interface WrittenMarkup {
  open: string;
  close?: string;
  prefix?: string;
}

type LineSpan = { line: number; end: number };

type OpenedBlock = { meaning: BlockMeaning; markup: WrittenMarkup; span: LineSpan };

/** Opens a block with its title as its first text. */
export function openBlock(state: StateBlock, openedBlock: OpenedBlock): Token {
  const token = openTag(state, openedBlock);
  addTitle(state, openedBlock.span.line, openedBlock.meaning.title);
  return token;
}

export function openTag(state: StateBlock, { meaning, markup, span }: OpenedBlock): Token {
  const { type, data } = meaning;
  const isFold = type === 'expandable';
  const token = state.push(isFold ? 'details_open' : 'tag_open', '', 1);
  token.map = [span.line, span.end];
  token.meta = { ...(isFold && data), type, data, markup };
  return token;
}

/** Hints and steps have no title field, so the title becomes bold text. */
export function addTitle(state: StateBlock, line: number, text: string | undefined): void {
  if (text !== undefined && text !== '') addParagraph(state, line, text).meta = { isTitle: true };
}

/** Adds a paragraph with a part of a line. */
export function addParagraph(state: StateBlock, line: number, text: string): Token {
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

/**
 * Stores source that is not content, such as a comment. `visibleHtml` is the HTML that readers see instead. Link
 * extraction still finds the tags and addresses in the source.
 */
export function addSilentToken(state: StateBlock, line: number, end: number, isOwn = false, visibleHtml = ''): true {
  const token = state.push('silent', '', 0);
  token.content = state.getLines(line, end, state.blkIndent, false).trimEnd();
  token.map = [line, end];
  token.meta = { isOwn, shown: visibleHtml };
  state.line = end;
  return true;
}
