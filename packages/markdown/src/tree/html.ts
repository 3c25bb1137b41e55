import { decodeEntities } from '../inline-tails.ts';

/** A tag, or the text between two tags. */
export type HtmlPiece = { name: string; closes: boolean; attributes: string } | string;

const MAX_HTML_LENGTH = 200_000;
const ATTRIBUTE = /\s+([a-zA-Z][\w:-]*)(?:="([^"<>]*)")?/y;
const PIECE = /<(\/?)([a-zA-Z][a-zA-Z\d]*)((?:\s+[a-zA-Z][\w:-]*(?:="[^"<>]*")?)*)\s*\/?>|[^<]+/y;

/** The tag that a text is, if its attributes are of the plain form. */
export function tagOf(html: string): Exclude<HtmlPiece, string> | undefined {
  const [piece, ...more] = piecesOf(html) ?? [];
  return typeof piece === 'object' && more.length === 0 ? piece : undefined;
}

/** The tags and texts of a piece of HTML; undefined when it has comments or other than plain tags. */
export function piecesOf(html: string): HtmlPiece[] | undefined {
  if (html.length > MAX_HTML_LENGTH) return undefined;
  const pieces: HtmlPiece[] = [];
  PIECE.lastIndex = 0;
  for (let position = 0; position < html.length; position = PIECE.lastIndex) {
    const found = PIECE.exec(html);
    if (found === null) return undefined;
    const [whole, slash, name, attributes = ''] = found;
    pieces.push(name === undefined ? whole : { name: name.toLowerCase(), closes: slash === '/', attributes });
  }
  return pieces;
}

/** The attributes of a tag; undefined when one is given twice. */
export function attributesOf(source: string): Map<string, string> | undefined {
  const attributes = new Map<string, string>();
  ATTRIBUTE.lastIndex = 0;
  while (ATTRIBUTE.lastIndex < source.length) {
    const [, name = '', value = ''] = ATTRIBUTE.exec(source) ?? [];
    if (name === '') return undefined;
    if (attributes.has(name)) return undefined;
    attributes.set(name, decodeEntities(value));
  }
  return attributes;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as the value of an attribute. */
export const escapeAttribute = (text: string): string =>
  text
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\r\n]/g, (end) => `&#${end.charCodeAt(0)};`);

const attribute = (name: string, value: string | undefined): string[] => {
  if (value === undefined) return [];
  return [value === '' && name.startsWith('data-') ? name : `${name}="${escapeAttribute(value)}"`];
};

/** The start of a tag with those of the attributes that have a value. */
export const openTag = (name: string, attributes: [string, string | undefined][]): string =>
  `<${[name, ...attributes.flatMap(([key, value]) => attribute(key, value))].join(' ')}>`;
