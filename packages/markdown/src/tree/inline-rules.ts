import type { StateInline, Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';
import cjkFriendly from 'markdown-it-cjk-friendly';
import { findIds } from '../headings.ts';
import { decodeEntities } from '../inline-syntax.ts';
import { addTemplateAddresses } from '../links/destinations.ts';
import { addAttributeListRules, readTagImage } from './attributes.ts';
import { TooLarge } from './block-rules.ts';
import { findForeignTags, isForeignControlFlow, mayBeConditional, namesVariable } from './conditions.ts';
import type { Inline, TextNode } from './document-tree.ts';
import { addTagIds, createUrlReference, getText, inline } from './document-tree.ts';
import type { BlockReading } from './extents.ts';
import { findAttribute, readJsxTag } from './jsx.ts';
import { escapeHtmlText, mark } from './markup.ts';
import { blocksMention, createUserMention, readMention } from './tags.ts';

/**
 * Inline text beyond this many markup tokens in one document stays plain, and so does markup nested deeper than
 * `MAX_NESTING`.
 */
const MAX_INLINE_TOKENS = 100_000;
const MAX_NESTING = 50;

const parser = new MarkdownIt({ html: true, maxNesting: MAX_NESTING }).use(cjkFriendly);
parser.validateLink = () => true;
parser.normalizeLink = (url) => url;
addTemplateAddresses(parser);
const htmlParser = new MarkdownIt({ html: true, maxNesting: MAX_NESTING });
let reading: BlockReading = {};

const State = class extends parser.inline.State {
  override push(type: string, tag: string, nesting: -1 | 0 | 1) {
    const count = (reading.inlineTokens ?? 0) + 1;
    reading.inlineTokens = count;
    if (count > MAX_INLINE_TOKENS) throw new TooLarge('The document has too much inline markup.');
    return super.push(type, tag, nesting);
  }
};
parser.inline.State = State;
htmlParser.inline.State = State;

/** Converts a match to a node; undefined if the text does not have this form. */
type Reader = (match: RegExpExecArray & { 0: string }) => Inline | TextNode | undefined;
const createReference = (url = '') => createUrlReference(decodeEntities(url));

/** Patterns of inline syntax, each with the function that converts a match. */
const FORMS: [RegExp, Reader][] = [
  [
    /<code class="expression">([^<>]{1,1024})<\/code>/y,
    ([, source = '']) => inline('expression', { expression: decodeEntities(source).trim() }),
  ],
  [
    /\{\{[ \t]*([^{}#/\s][^{}\n]{0,1023})\}\}/y,
    ([, source = '']) =>
      namesVariable(source) ? inline('expression', { expression: source.trim(), markup: { braces: true } }) : undefined,
  ],
  [/\$\$(?=\S)((?:[^$\\\n]|\\[^\n]|\$(?!\$))+)\$\$/y, ([, formula = '']) => inline('inline-math', { formula })],
  [/\[\^([^\s[\]^]{1,100})\]/y, ([, label = '']) => inline('annotation', { label })],
  [/<i class="fa-([\w-]{1,100})">:[\w-]{1,100}:<\/i>/y, ([, icon = '']) => inline('icon', { icon })],
  [
    /<picture><source srcset="([^"<>]*)" media="\(prefers-color-scheme: dark\)"><img src="([^"<>]*)" alt="([^"<>]*)"(?: data-size="([^"<>]*)")?><\/picture>/y,
    ([, dark, url, alt = '', size]) =>
      inline('inline-image', {
        ref: createReference(url),
        refDark: createReference(dark),
        alt: decodeEntities(alt),
        ...(size && { size }),
      }),
  ],
  [
    /<img src="([^"<>]*)" alt="([^"<>]*)"(?: data-size="([^"<>]*)")?>/y,
    ([, url, alt = '', size]) =>
      inline('inline-image', { ref: createReference(url), alt: decodeEntities(alt), ...(size && { size }) }),
  ],
  [
    /\{%-?[ \t]*raw[ \t]*-?%\}((?:[^{]|\{(?!%)){0,1000})\{%-?[ \t]*endraw[ \t]*-?%\}/y,
    ([, text = '']) => (text === '' ? undefined : getText(text)),
  ],
  [
    /\{::comment\}[^{}\n]{0,1000}\{:\/(?:comment)?\}/y,
    ([source]) => inline('html', { html: '', markup: { text: source } }),
  ],
  [/\{%-?[ \t]{0,9}([a-z]{2,12})\b(?:[^%\n]|%(?!\})){0,1000}%\}/y, (match) => hideTemplateTag(match)],
  [/\{(\+\+|--|==|~~|>>)([^{}\n]{1,500}?)(?:\+\+|--|==|~~|<<)\}/y, (match) => getEdit(match)],
  [/<br ?\/?>/y, () => inline('hard-break', {})],
  [/<(?:img|Image|Img|Picture|ThemedImage)\s[^<>]*>/y, ([source]) => readImage(source)],
  [
    /<(?!(?:Link|LinkButton|NavLink|Button)\s[^<>]*\b(?:href|to)=)[A-Z][\w.]*(?:\s[^<>]*)?>|<\/(?!Link|NavLink|Button)[A-Z][\w.]*>/y,
    ([source]) => getComponent(source),
  ],
  [
    /<[a-z][\w-]*(?=\s)[^<>]*(?:=\{|\s[@#])[^<>]*>/y,
    ([source]) => (readJsxTag(source, 0) ? createHiddenInline(source) : undefined),
  ],
  [/\{\/\*(?:[^*]|\*(?!\/\})){0,1000}\*\/\}/y, ([source]) => createHiddenInline(source)],
];

/** Creates an inline for markup that is hidden, or replaced by `visibleHtml`. */
const createHiddenInline = (source: string, visibleHtml = ''): Inline =>
  mayBeConditional(source)
    ? inline('html', { html: source })
    : inline('html', addTagIds({ html: visibleHtml, markup: { text: source } }, findIds(source, true)));

let cachedTags: { text: string; tags: ReturnType<typeof findForeignTags> } | undefined;

/** Hides the control flow tags of templates. */
function hideTemplateTag({ 0: source, 1: name = '', index, input }: RegExpExecArray): Inline | undefined {
  const createSilent = () => inline('html', { html: '', markup: { text: source } });
  if (isForeignControlFlow(name)) return mayBeConditional(source.slice(2)) ? undefined : createSilent();
  if (!/^(?:if|elseif|elsif|else|endif)$/.test(name)) return undefined;
  if (cachedTags?.text !== input) cachedTags = { text: input, tags: findForeignTags(input) };
  return reading.isForeign === true || cachedTags.tags.has(index) ? createSilent() : undefined;
}

/** Converts insertions and deletions of CriticMarkup, and hides its comments. */
function getEdit({ 0: source, 1: sign = '', 2: text = '' }: RegExpExecArray): Inline | TextNode | undefined {
  if (mayBeConditional(text) || source.slice(-3, -1) !== (sign === '>>' ? '<<' : sign)) return undefined;
  if (sign === '++') return getText(text);
  if (sign === '==') return getText(text, [mark('color', { background: 'yellow' })]);
  if (sign === '>>') return inline('html', { html: '', markup: { text: source } });
  const offset = sign === '~~' ? text.indexOf('~>') : text.length;
  if (offset < 0) return undefined;
  const deletedText = getText(text.slice(0, offset), [mark('strikethrough')]);
  return { ...deletedText, leaves: [...deletedText.leaves, ...getText(text.slice(offset + 2)).leaves] };
}

/** Replaces a badge by its text, and another component by its content. */
function getComponent(source: string): Inline {
  const tag = /^<Badge\s/.test(source) ? readJsxTag(source, 0) : undefined;
  return createHiddenInline(source, escapeHtmlText((tag && findAttribute(tag, 'text', 'label')) ?? ''));
}

const readImage = (source: string): Inline => readTagImage(source, reading) ?? inline('html', { html: source });

addAttributeListRules(parser);

/** Icons of MkDocs Material; their names are not text. */
const ICON = /^(?:material|fontawesome|octicons|simple)-[a-z\d]/;

const RAISED = /\^([^\s^$[\]{}<>`]{1,50})\^(?![\w^])/y;

/** Parses superscript of MkDocs and Pandoc, which follows a word. */
parser.inline.ruler.before('backticks', 'raised', (state, silent) => {
  if (state.src.charAt(state.pos) !== '^' || !/[\p{L}\p{N})]/u.test(state.src.charAt(state.pos - 1))) return false;
  RAISED.lastIndex = state.pos;
  const match = RAISED.exec(state.src);
  if (match === null || state.pos + match[0].length > state.posMax) return false;
  return pushMatch(state, silent, { match, readMatch: ([, text = '']) => getText(text, [mark('superscript')]) });
});

const KEYS = /\+\+([a-z\d][\w-]{0,30}(?:\+[a-z\d][\w-]{0,30}){0,5})\+\+(?!\+)/y;
const MARKED = /==([^\s=](?:[^=\n]{0,300}[^\s=])?)==(?!=)/y;

/** Parses keys and highlighted text of MkDocs: `++ctrl+a++` and `==text==`. */
parser.inline.ruler.before('backticks', 'keys', (state, silent) => {
  const sign = state.src.charAt(state.pos);
  if ((sign !== '+' && sign !== '=') || /[\w+={]/.test(state.src.charAt(state.pos - 1))) return false;
  const pattern = sign === '+' ? KEYS : MARKED;
  const newMark = sign === '+' ? mark('keyboard') : mark('color', { background: 'yellow' });
  pattern.lastIndex = state.pos;
  const match = pattern.exec(state.src);
  if (match === null || state.pos + match[0].length > state.posMax) return false;
  return pushMatch(state, silent, { match, readMatch: ([, text = '']) => getText(text, [newMark]) });
});

const EMOJI = /:([a-z0-9_+-]{1,50}):(?![A-Za-z\d]|:(?![a-z0-9_+-]{1,50}:))/y;

const readForm = (state: StateInline, silent: boolean): boolean => {
  for (const [pattern, readMatch] of '<{$['.includes(state.src.charAt(state.pos)) ? FORMS : []) {
    pattern.lastIndex = state.pos;
    const match = pattern.exec(state.src);
    const isInside = match !== null && state.pos + match[0].length <= state.posMax;
    if (isInside && pushMatch(state, silent, { match, readMatch })) return true;
  }
  return false;
};
parser.inline.ruler.before('backticks', 'form', readForm);
htmlParser.inline.ruler.before('backticks', 'form', readForm);
htmlParser.inline.ruler.enableOnly(['text', 'form', 'html_inline', 'entity']);
parser.inline.ruler.after('form', 'formula', (state, silent) => {
  const formulaText = state.src.charAt(state.pos) === '$' ? readFormula(state.src, state.pos) : undefined;
  if (formulaText === undefined || formulaText.end > state.posMax) return false;
  const { formula } = formulaText;
  const node = inline('inline-math', { formula, markup: { text: `$${formula}$` } });
  if (!silent) state.push('form', '', 0).meta = { node };
  state.pos = formulaText.end;
  return true;
});
parser.inline.ruler.before('backticks', 'emoji', (state, silent) => {
  const isInWord = !isAfterForm(state) && /[A-Za-z\d:]/.test(state.src.charAt(state.pos - 1));
  if (state.src.charAt(state.pos) !== ':' || isInWord) return false;
  EMOJI.lastIndex = state.pos;
  const match = EMOJI.exec(state.src);
  if (match === null || !/[a-z]/.test(match[0]) || state.pos + match[0].length > state.posMax) return false;
  return pushMatch(state, silent, {
    match,
    readMatch: ([source, name = '']) => (ICON.test(name) ? createHiddenInline(source) : inline('emoji', { name })),
  });
});

parser.inline.ruler.before('backticks', 'mention', (state, silent) => {
  const before = isAfterForm(state) ? '' : state.src.charAt(state.pos - 1);
  const user = blocksMention(before) ? undefined : readMention(state.src, state.pos);
  if (user === undefined || state.pos + 1 + user.length > state.posMax) return false;
  if (!silent) state.push('form', '', 0).meta = { node: createUserMention(user) };
  state.pos += 1 + user.length;
  return true;
});

const isAfterForm = (state: StateInline): boolean => state.pending === '' && state.tokens.at(-1)?.type === 'form';

function pushMatch(
  state: StateInline,
  silent: boolean,
  { match, readMatch }: { match: RegExpExecArray; readMatch: Reader },
): boolean {
  const node = readMatch(match);
  if (node === undefined) return false;
  if (!silent) state.push('form', '', 0).meta = { node };
  state.pos += match[0].length;
  return true;
}

/**
 * Returns the inline tokens of a text. Undefined if the text is too long or the document already has too many inline
 * tokens.
 */
export function readInline(text: string, context: BlockReading, isHtml = false): Token[] | undefined {
  if ((context.inlineTokens ?? 0) > MAX_INLINE_TOKENS || text.length > (context.maxInlineLength ?? text.length))
    return undefined;
  reading = context;
  const tokens: Token[] = [];
  try {
    const used = isHtml ? htmlParser : parser;
    used.inline.parse(text, used, context as Record<string, unknown>, tokens);
    return tokens;
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

const FORM = /\$((?![\s\d$])(?:[^$\\\n`]|\\[^\n]){1,300})\$(?![\w$({])/y;
const START = /^[a-zA-Z\\(\p{Script=Greek}]/u;
/** Matches syntax that only formulas have: commands, superscripts and subscripts. */
const SIGNS = /\\[a-zA-Z]|[\w)}]\^[\w{(\\-]|(?:^|[^a-zA-Z])[a-zA-Z]_[\w{\\]/;
/** Matches text with only single letters between operators. */
const LETTERS = /^(?!.*[a-zA-Z]{2})[-+/=<>()[\],.!'\s\da-zA-Z\p{Script=Greek}]+$/u;

/**
 * Returns the formula between single dollars at a position. Prices, variables and words are excluded: anything
 * ambiguous is text.
 */
export function readFormula(text: string, position: number): { formula: string; end: number } | undefined {
  if (/[\w$\\]/.test(text.charAt(position - 1))) return undefined;
  FORM.lastIndex = position;
  const formula = FORM.exec(text)?.[1];
  if (formula === undefined || /\s$/.test(formula) || !START.test(formula) || formula.includes('{%')) return undefined;
  return SIGNS.test(formula) || LETTERS.test(formula) ? { formula, end: position + formula.length + 2 } : undefined;
}
