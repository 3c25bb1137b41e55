import type { fromHtml } from 'hast-util-from-html';

/** The number of bytes that are searched for a charset declaration. */
const searchedBytes = 2048;

/**
 * Decodes a page. The encoding is determined by the byte order mark, the charset of the Content-Type header, or the
 * meta element, in this order. The default is UTF-8. Invalid bytes become replacement characters.
 */
export function decodeHtml(bytes: Uint8Array, contentTypeHeader: string | null | undefined): string {
  const label = detectByteOrderMark(bytes) ?? getCharset(contentTypeHeader ?? '') ?? readMetaCharset(bytes) ?? 'utf-8';
  return new TextDecoder(label).decode(bytes);
}

function detectByteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined;
}

function getCharset(text: string): string | undefined {
  const label = /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(text.slice(0, searchedBytes))?.[1];
  return label !== undefined && isKnown(label) ? label : undefined;
}

function readMetaCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, searchedBytes));
  for (const [tag] of start.matchAll(/<meta\s[^<>]*/gi)) {
    const label = getCharset(tag);
    // A page whose meta element was readable as ASCII is not UTF-16, whatever it declares.
    if (label !== undefined) return /^utf-?16/i.test(label) ? 'utf-8' : label;
  }
  return undefined;
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

export type Root = ReturnType<typeof fromHtml>;
export type Content = Root['children'][number];
export type Element = Extract<Content, { type: 'element' }>;
export type Parent = Root | Element;

/** Creates an element. */
export const createElement = (tagName: string, children: Element['children'], properties: Element['properties'] = {}) =>
  ({ type: 'element', tagName, properties, children }) satisfies Element;

export const createTextNode = (value: string) => ({ type: 'text', value }) as const;

export const isElement = (node: Content): node is Element => node.type === 'element';

export const getChildElements = ({ children }: Parent): Element[] => (children as Content[]).filter(isElement);

/** Returns an attribute as a string, or undefined if it is missing. */
export function getAttribute({ properties }: Element, name: string): string | undefined {
  const value = properties[name];
  if (value === undefined || value === null || value === false) return undefined;
  return Array.isArray(value) ? value.join(' ') : String(value);
}

const maxClasses = 2000;

const classesOfElements = new WeakMap<Element, readonly string[]>();

/** Returns the classes of an element in lowercase. Cached, because they are read often. */
export function getClasses(node: Element): readonly string[] {
  const knownClasses = classesOfElements.get(node);
  if (knownClasses !== undefined) return knownClasses;
  const classes = getAttribute(node, 'className')?.slice(0, maxClasses).toLowerCase().split(/\s+/) ?? [];
  classesOfElements.set(node, classes);
  return classes;
}

/** Yields every element below a node in document order. */
export function* getElements(parent: Parent): Generator<Element> {
  const stack: Content[] = parent.children.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!isElement(node)) continue;
    yield node;
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      const child = node.children[index];
      if (child) stack.push(child);
    }
  }
}

/** Returns the first element below a node that satisfies the predicate. */
export function findElement(parent: Parent, isMeant: (node: Element) => boolean): Element | undefined {
  for (const node of getElements(parent)) if (isMeant(node)) return node;
  return undefined;
}

/** Returns the text below a node unchanged. */
export function getText(node: Content | Root): string {
  const parts: string[] = [];
  const stack: (Content | Root)[] = [node];
  for (let each = stack.pop(); each; each = stack.pop()) {
    if (each.type === 'text') parts.push(each.value);
    if (each.type !== 'element' && each.type !== 'root') continue;
    for (let index = each.children.length - 1; index >= 0; index -= 1) {
      const child = each.children[index];
      if (child) stack.push(child);
    }
  }
  return parts.join('');
}

/** Returns the start of the text on one line, with at most `length` characters. */
export function getLimitedLine(node: Parent, length: number): string {
  let [line, scannedCount] = ['', 0];
  const stack: Content[] = node.children.toReversed();
  for (let each = stack.pop(); each && line.length < length && scannedCount < 10 * length; each = stack.pop()) {
    scannedCount += 1;
    if (each.type === 'text') line = (line + each.value.slice(0, 5 * length)).replace(/\s+/g, ' ').trimStart();
    if (!isElement(each)) continue;
    for (let index = Math.min(each.children.length, 5 * length) - 1; index >= 0; index -= 1) {
      const child = each.children[index];
      if (child) stack.push(child);
    }
  }
  return line.slice(0, length).trimEnd();
}

/** Returns the text on one line. */
export const getLine = (node: Content | Root): string => getText(node).replace(/\s+/g, ' ').trim();
