import type MarkdownIt from 'markdown-it';
import { decodeEntities, unescapeAll } from '../inline-syntax.ts';
import { isSpecSource } from '../tree/tags.ts';

/** Template addresses of Hugo and Jekyll: a function and its argument. */
const FORMS = [
  /\{\{[<%][ \t]{0,9}(?:rel)?ref[ \t]{1,9}(?:path=)?["`]([^"`\n{}]{1,500})["`][^{}\n]{0,200}[>%]\}\}([^\s(){}<>]{0,500})/y,
  /(?:\{\{[ \t]{0,9}site\.(?:base)?url[ \t]{0,9}\}\})?\{%-?[ \t]{0,9}link[ \t]{1,9}([^\s%{}]{1,500})[ \t]{0,9}-?%\}([^\s(){}<>]{0,500})/y,
  /(?:\{\{[ \t]{0,9}site\.(?:base)?url[ \t]{0,9}\}\})?\{%-?[ \t]{0,9}post_url[ \t]{1,9}([^\s%{}]{1,500})[ \t]{0,9}-?%\}([^\s(){}<>]{0,500})/y,
  /\{\{[ \t]{0,9}["']([^"'\n{}]{1,500})["'][ \t]{0,9}\|[ \t]{0,9}(?:relative|absolute)_url[ \t]{0,9}\}\}([^\s(){}<>]{0,500})/y,
  /\{\{[ \t]{0,9}site\.(?:base)?url[ \t]{0,9}\}\}()([^\s(){}<>]{1,500})/y,
];
const [, LINK, POST] = FORMS;

/**
 * Returns the address in the template at a position, and the end of the template. Undefined if there is no template.
 */
function matchTemplateAddress(source: string, position: number): { target: string; end: number } | undefined {
  if (source.charAt(position) !== '{') return undefined;
  for (const form of FORMS) {
    form.lastIndex = position;
    const [whole, address = '', rest = ''] = form.exec(source) ?? [];
    if (whole === undefined) continue;
    const end = position + whole.length;
    if (form === POST) return { target: `/_posts/${address.replace(/^\//, '')}.md${rest}`, end };
    const isOfRoot = form === LINK && !address.startsWith('/');
    return { target: `${isOfRoot ? '/' : ''}${address}${rest}`, end };
  }
  return undefined;
}

/** Makes a parser read targets that are templates, such as `{% link a.md %}`, in links and reference definitions. */
export function addTemplateAddresses({ helpers }: InstanceType<typeof MarkdownIt>): void {
  const { parseLinkDestination } = helpers;
  helpers.parseLinkDestination = (text, start, max) => {
    const template = matchTemplateAddress(text, start);
    if (template === undefined || template.end > max) return parseLinkDestination(text, start, max);
    return { ok: true, pos: template.end, str: template.target };
  };
}

/** Returns the address in an attribute's value. If the whole value is a template, returns the template's address. */
export function getAddress(value: string): string {
  const destination = matchTemplateAddress(value, 0);
  return destination?.end === value.length ? destination.target : value;
}

/** Matches white space, including line ends and the quote markers of the next line. */
const SPACE = /[ \t]*(?:\r?\n[ \t>]*)?/y;
const ANGLE = /<((?:[^<>\n\\]|\\.)*)>/y;
const BARE = /(?:[^\s()\\]|\\[^\s]|\\(?=\s|$)|\((?:[^\s()\\]|\\[^\s])*\))+/y;
const TITLE = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\((?:[^()\\]|\\[\s\S])*\)/y;

/** A target in a text, decoded, with the offsets of its source. */
export interface WrittenTarget {
  start: number;
  end: number;
  target: string;
}

/** Parses a target at `position`; undefined if there is none. */
export function readDestination(source: string, position: number): WrittenTarget | undefined {
  const template = matchTemplateAddress(source, position);
  if (template) return { start: position, ...template };
  const angle = matchAt(ANGLE, source, position);
  if (angle) return { start: position, end: position + angle[0].length, target: unescapeAll(angle[1] ?? '') };
  if (source[position] === '<') return undefined;
  const unquoted = matchAt(BARE, source, position)?.[0];
  return unquoted === undefined
    ? undefined
    : { start: position, end: position + unquoted.length, target: unescapeAll(unquoted) };
}

/** Parses a target and an optional title in the parentheses at `position`, and returns their end. */
export function readParentheses(
  source: string,
  position: number,
): { end: number; destination?: WrittenTarget } | undefined {
  if (source[position] !== '(') return undefined;
  const start = skipSpace(source, position + 1);
  const destination = readDestination(source, start);
  let end = skipSpace(source, destination?.end ?? start);
  if (destination !== undefined && end > destination.end) {
    const title = matchAt(TITLE, source, end)?.[0] ?? '';
    end = skipSpace(source, end + title.length);
  }
  if (source[end] !== ')') return undefined;
  return { end: end + 1, ...(destination === undefined ? {} : { destination }) };
}

export const skipSpace = (source: string, position: number): number =>
  position + (matchAt(SPACE, source, position)?.[0].length ?? 0);

/** The relation of a page to a target: a reference, or a dependency for included content, which is part of the page. */
export type LinkRelation = 'reference' | 'dependsOn';
export type LinkKind = 'link' | 'image' | 'embed' | 'file' | 'include' | 'cover';

/** The syntax of a target at its location. */
export type TargetStyle = 'destination' | 'attribute' | 'script' | 'plain' | 'autolink' | 'yaml';

/** An occurrence of a target, with the offsets (UTF-16 units) of its text. */
export interface Occurrence {
  start: number;
  end: number;
  target: string;
  relation: LinkRelation;
  kind: LinkKind;
  style: TargetStyle;
}

/** Moves an occurrence by an offset. */
export const shiftOccurrence = (occurrence: Occurrence, by: number): Occurrence => ({
  ...occurrence,
  start: occurrence.start + by,
  end: occurrence.end + by,
});

/** Matches a sticky pattern at a position. */
export function matchAt(pattern: RegExp, source: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(source);
}

/** The name is matched as a whole: rescanning an unclosed tag at each letter would take quadratic time. */
const TAG = /<([a-zA-Z][a-zA-Z\d-]*)(?![a-zA-Z\d-])[^<>]*>/y;
const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^\s"'=<>`]+))?/y;
/** Scripts that evaluate to an address: `'./a.png'`, `require('./a.png').default`, `useBaseUrl('/a.png')`. */
const SCRIPT = /^\{\s*(?:(?:require|useBaseUrl|withBase)\(\s*)?(["'`])([^"'`\\{}]+)\1\s*(?:\)(?:\.default)?)?\s*\}$/;
const OPENING = /\{%-?\s*(@?[a-z-]+)(?:\/[\w-]+)?/y;
const VALUE = /\s+(?:([a-zA-Z_-]+)\s*=\s*)?("[^"]*"|'[^']*')/y;

const htmlAttributes: Record<string, { name: string; kind: LinkKind }> = {
  a: { name: 'href', kind: 'link' },
  img: { name: 'src', kind: 'image' },
  source: { name: 'srcset', kind: 'image' },
  iframe: { name: 'src', kind: 'embed' },
  embed: { name: 'src', kind: 'embed' },
  video: { name: 'src', kind: 'file' },
  audio: { name: 'src', kind: 'file' },
};

const blockTags: Record<string, { name: string; kind: LinkKind; relation: LinkRelation }> = {
  'content-ref': { name: 'url', kind: 'link', relation: 'reference' },
  'page-ref': { name: 'page', kind: 'link', relation: 'reference' },
  embed: { name: 'url', kind: 'embed', relation: 'reference' },
  file: { name: 'src', kind: 'file', relation: 'reference' },
  include: { name: '', kind: 'include', relation: 'dependsOn' },
  openapi: { name: 'src', kind: 'file', relation: 'reference' },
  swagger: { name: 'src', kind: 'file', relation: 'reference' },
};

/** Attributes with targets, by component. */
const componentAttributes: { name: string; kind: LinkKind }[] = [
  { name: 'href', kind: 'link' },
  { name: 'to', kind: 'link' },
  { name: 'link', kind: 'link' },
  { name: 'src', kind: 'image' },
  { name: 'url', kind: 'link' },
];

/** A parsed tag: its end, and its target if it has one. */
export interface TagTail {
  end: number;
  occurrence?: Occurrence;
  /** The other targets of the tag. */
  also?: Occurrence[];
}

/** Parses the HTML tag at `position`. */
export function matchHtmlTag(source: string, position: number): TagTail | undefined {
  const tag = matchAt(TAG, source, position);
  if (!tag) return undefined;
  const end = position + tag[0].length;
  const [, name = ''] = tag;
  if (name === 'ThemedImage') {
    const [occurrence, ...also] = findThemedSources(tag[0]).map(({ target, start }): Occurrence => {
      const range = { start: position + start, end: position + start + target.length };
      return { ...range, target, relation: 'reference', kind: 'image', style: 'script' };
    });
    return { end, also, ...(occurrence && { occurrence }) };
  }
  for (const { name: key, kind } of getAttributes(name)) {
    const value = getAttribute(tag[0], 1 + name.length, { pattern: ATTRIBUTE, name: key });
    const script = value && readScriptValue(value);
    if (script === undefined) continue;
    const range = { start: position + script.start, end: position + script.end };
    const target = script.isScript ? script.text : decodeEntities(script.text);
    return {
      end,
      occurrence: { ...range, target, relation: 'reference', kind, style: script.isScript ? 'script' : 'attribute' },
    };
  }
  return { end };
}

const SOURCE =
  /\b(light|dark)\s{0,9}:\s{0,9}(?:(?:require|useBaseUrl|withBase)\(\s{0,9})?(["'`])([^"'`\\{}<>\n]{1,500})\2/g;

/** Returns the images of a tag for light and dark mode, with the offsets of their addresses. */
export const findThemedSources = (tag: string): { theme: string; target: string; start: number }[] =>
  [...tag.matchAll(SOURCE)].map(({ 0: source, 1: theme = '', 3: target = '', index }) => ({
    theme,
    target,
    start: index + source.length - target.length - 1,
  }));

function getAttributes(name: string): { name: string; kind: LinkKind }[] {
  const key = name.toLowerCase();
  if (Object.hasOwn(htmlAttributes, key)) return [htmlAttributes[key]].filter((each) => each !== undefined);
  return /^[A-Z]/.test(name) ? componentAttributes : [];
}

type Value = { text: string; start: number; end: number };

/** Returns the value of an attribute, or the string literal in a script or template; undefined for any other script. */
function readScriptValue(value: Value): (Value & { isScript: boolean }) | undefined {
  if (!value.text.startsWith('{')) return { ...value, isScript: false };
  const address = getAddress(value.text);
  if (address !== value.text) return { ...value, text: address, isScript: false };
  const [, quote = '', text] = SCRIPT.exec(value.text) ?? [];
  if (text === undefined) return undefined;
  const start = value.start + value.text.indexOf(quote) + 1;
  return { text, start, end: start + text.length, isScript: true };
}

const SHORTCODE = /\{\{[<%][ \t]{0,9}(figure|img|image|card|button)(?![\w-])[^{}]{0,2000}[>%]\}\}/y;

/** Parses the Hugo shortcode at `position` if it has a target. */
export function matchShortcodeTag(source: string, position: number): TagTail | undefined {
  const [whole = '', name = ''] = matchAt(SHORTCODE, source, position) ?? [];
  if (whole === '') return undefined;
  const isLink = name === 'card' || name === 'button';
  const kind = isLink ? 'link' : 'image';
  const keys = isLink ? linkKeys : ['src'];
  const end = position + whole.length;
  for (const key of keys) {
    const value = getAttribute(whole, whole.indexOf(name) + name.length, { pattern: SHORTCODE_VALUE, name: key });
    if (value === undefined) continue;
    const range = { start: position + value.start, end: position + value.end };
    return { end, occurrence: { ...range, target: value.text, relation: 'reference', kind, style: 'plain' } };
  }
  return { end };
}

/** Attributes of Hugo's cards and buttons that contain targets. */
export const linkKeys = ['link', 'href', 'relref'];

const SHORTCODE_VALUE = /\s+([a-zA-Z_-]+)=("[^"]*"|[^\s"'{}<>]+)/y;

/** Parses the block tag (`{% ... %}`) at `position`; `last` is the end of the last block tag in the source. */
export function matchTemplateTag(source: string, position: number, last: number): TagTail | undefined {
  if (position >= last || !source.startsWith('{%', position)) return undefined;
  const end = source.indexOf('%}', position + 2) + 2;
  if (end < 2) return undefined;
  const opening = matchAt(OPENING, source, position);
  const name = opening?.[1]?.startsWith('@') ? 'embed' : (opening?.[1] ?? '');
  const attributeNames = Object.hasOwn(blockTags, name) ? blockTags[name] : undefined;
  if (!opening || attributeNames === undefined) return { end };
  const tag = source.slice(position, end);
  const value = getAttribute(tag, opening[0].length, { pattern: VALUE, name: attributeNames.name });
  if (value === undefined || isSpecSource(name, value.text)) return { end };
  const { kind, relation } = attributeNames;
  const range = { start: position + value.start, end: position + value.end };
  return { end, occurrence: { ...range, target: value.text, relation, kind, style: 'plain' } };
}

/** Returns the value of the first attribute with this name, without quotes; '' if the attribute has no value. */
function getAttribute(
  tag: string,
  position: number,
  { pattern, name }: { pattern: RegExp; name: string },
): { text: string; start: number; end: number } | undefined {
  for (let each = matchAt(pattern, tag, position); each; each = matchAt(pattern, tag, pattern.lastIndex)) {
    const [match, key = '', quotedValue] = each;
    if (key.toLowerCase() !== name || quotedValue === undefined) continue;
    const isQuoted = /^["']/.test(quotedValue);
    const end = each.index + match.length - (isQuoted ? 1 : 0);
    const start = each.index + match.length - quotedValue.length + (isQuoted ? 1 : 0);
    return { text: tag.slice(start, end), start, end };
  }
  return undefined;
}

const IMPORT =
  /^[ \t]*import[ \t]+([\w$]{1,100})[ \t]+from[ \t]*(["'])([^"'\n{}\\]{1,500}\.(?:png|jpe?g|gif|svg|webp|avif|ico))\2/gim;

/** An imported image, with its name and the offset of its address in the script. */
interface ImportedImage {
  name: string;
  address: string;
  start: number;
}

/** Returns the images that an MDX script imports, in order. */
export const findImportedImages = (script: string): ImportedImage[] =>
  [...script.matchAll(IMPORT)].map(({ 0: statement, 1: name = '', 3: address = '', index }) => ({
    name,
    address,
    start: index + statement.length - address.length - 1,
  }));
