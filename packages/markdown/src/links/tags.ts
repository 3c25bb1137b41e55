import { decodeEntities } from '../entities.ts';
import type { LinkKind, LinkRelation, Occurrence } from './destination.ts';
import { matchAt } from './destination.ts';
import { addressIn } from './template-address.ts';

/** A name is taken whole: read letter by letter anew, a tag that does not end would cost the square of its length. */
const TAG = /<([a-zA-Z][a-zA-Z\d-]*)(?![a-zA-Z\d-])[^<>]*>/y;
const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^\s"'=<>`]+))?/y;
/** A script that gives an address: `'./a.png'`, `require('./a.png').default`, `useBaseUrl('/a.png')`. */
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
};

/** The attributes by which components lead elsewhere. */
const componentAttributes: { name: string; kind: LinkKind }[] = [
  { name: 'href', kind: 'link' },
  { name: 'to', kind: 'link' },
  { name: 'link', kind: 'link' },
  { name: 'src', kind: 'image' },
  { name: 'url', kind: 'link' },
];

/** What a tag is, where it ends, and the target it names, if any. */
export interface TagTail {
  end: number;
  found?: Occurrence;
  /** Further targets. */
  also?: Occurrence[];
}

/** The HTML tag at `position`. */
export function htmlTag(source: string, position: number): TagTail | undefined {
  const tag = matchAt(TAG, source, position);
  if (!tag) return undefined;
  const end = position + tag[0].length;
  const [, name = ''] = tag;
  if (name === 'ThemedImage') {
    const [found, ...also] = themedSources(tag[0]).map(({ target, start }): Occurrence => {
      const range = { start: position + start, end: position + start + target.length };
      return { ...range, target, relation: 'reference', kind: 'image', style: 'script' };
    });
    return { end, also, ...(found && { found }) };
  }
  for (const { name: key, kind } of attributesOf(name)) {
    const value = attributeOf(tag[0], 1 + name.length, { pattern: ATTRIBUTE, name: key });
    const read = value && asScript(value);
    if (read === undefined) continue;
    const range = { start: position + read.start, end: position + read.end };
    const target = read.isScript ? read.text : decodeEntities(read.text);
    return {
      end,
      found: { ...range, target, relation: 'reference', kind, style: read.isScript ? 'script' : 'attribute' },
    };
  }
  return { end };
}

const SOURCE =
  /\b(light|dark)\s{0,9}:\s{0,9}(?:(?:require|useBaseUrl|withBase)\(\s{0,9})?(["'`])([^"'`\\{}<>\n]{1,500})\2/g;

/** The images of a tag for light and dark pages, and where their addresses stand in it. */
export const themedSources = (tag: string): { theme: string; target: string; start: number }[] =>
  [...tag.matchAll(SOURCE)].map(({ 0: whole, 1: theme = '', 3: target = '', index }) => ({
    theme,
    target,
    start: index + whole.length - target.length - 1,
  }));

function attributesOf(name: string): { name: string; kind: LinkKind }[] {
  const key = name.toLowerCase();
  if (Object.hasOwn(htmlAttributes, key)) return [htmlAttributes[key]].filter((each) => each !== undefined);
  return /^[A-Z]/.test(name) ? componentAttributes : [];
}

type Value = { text: string; start: number; end: number };

/** A value as it stands, or the text in a script or a template; undefined for any other script. */
function asScript(value: Value): (Value & { isScript: boolean }) | undefined {
  if (!value.text.startsWith('{')) return { ...value, isScript: false };
  const address = addressIn(value.text);
  if (address !== value.text) return { ...value, text: address, isScript: false };
  const [, quote = '', text] = SCRIPT.exec(value.text) ?? [];
  if (text === undefined) return undefined;
  const start = value.start + value.text.indexOf(quote) + 1;
  return { text, start, end: start + text.length, isScript: true };
}

const SHORTCODE = /\{\{[<%][ \t]{0,9}(figure|img|image|card|button)(?![\w-])[^{}]{0,2000}[>%]\}\}/y;

/** The shortcode of Hugo at `position`, where it is one that leads elsewhere. */
export function shortcodeTag(source: string, position: number): TagTail | undefined {
  const [whole = '', name = ''] = matchAt(SHORTCODE, source, position) ?? [];
  if (whole === '') return undefined;
  const leads = name === 'card' || name === 'button';
  const kind = leads ? 'link' : 'image';
  const keys = leads ? linkKeys : ['src'];
  const end = position + whole.length;
  for (const key of keys) {
    const value = attributeOf(whole, whole.indexOf(name) + name.length, { pattern: SHORTCODE_VALUE, name: key });
    if (value === undefined) continue;
    const range = { start: position + value.start, end: position + value.end };
    return { end, found: { ...range, target: value.text, relation: 'reference', kind, style: 'plain' } };
  }
  return { end };
}

/** The attributes by which cards and buttons of Hugo lead elsewhere. */
export const linkKeys = ['link', 'href', 'relref'];

const SHORTCODE_VALUE = /\s+([a-zA-Z_-]+)=("[^"]*"|[^\s"'{}<>]+)/y;

/** The block tag (`{% ... %}`) at `position`; `last` is where the last one of the source ends. */
export function blockTag(source: string, position: number, last: number): TagTail | undefined {
  if (position >= last || !source.startsWith('{%', position)) return undefined;
  const end = source.indexOf('%}', position + 2) + 2;
  if (end < 2) return undefined;
  const opening = matchAt(OPENING, source, position);
  const name = opening?.[1]?.startsWith('@') ? 'embed' : (opening?.[1] ?? '');
  const wanted = Object.hasOwn(blockTags, name) ? blockTags[name] : undefined;
  if (!opening || wanted === undefined) return { end };
  const tag = source.slice(position, end);
  const value = attributeOf(tag, opening[0].length, { pattern: VALUE, name: wanted.name });
  if (value === undefined) return { end };
  const { kind, relation } = wanted;
  const range = { start: position + value.start, end: position + value.end };
  return { end, found: { ...range, target: value.text, relation, kind, style: 'plain' } };
}

/** The first attribute of a name ('' is a value without one), without its quotes. */
function attributeOf(
  tag: string,
  position: number,
  { pattern, name }: { pattern: RegExp; name: string },
): { text: string; start: number; end: number } | undefined {
  for (let each = matchAt(pattern, tag, position); each; each = matchAt(pattern, tag, pattern.lastIndex)) {
    const [whole, key = '', written] = each;
    if (key.toLowerCase() !== name || written === undefined) continue;
    const isQuoted = /^["']/.test(written);
    const end = each.index + whole.length - (isQuoted ? 1 : 0);
    const start = each.index + whole.length - written.length + (isQuoted ? 1 : 0);
    return { text: tag.slice(start, end), start, end };
  }
  return undefined;
}
