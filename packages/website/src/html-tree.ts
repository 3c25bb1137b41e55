import type { fromHtml } from 'hast-util-from-html';

/** How far into a page its own word for its charset is looked for. */
const searchedBytes = 2048;

/**
 * The text of a page: by its byte order mark, else the charset of the Content-Type header, else that of its own meta
 * element, else UTF-8. Bytes that are no text become replacement characters.
 */
export function decodeHtml(bytes: Uint8Array, contentTypeHeader: string | null | undefined): string {
  const label = getMark(bytes) ?? getCharset(contentTypeHeader ?? '') ?? metaCharset(bytes) ?? 'utf-8';
  return new TextDecoder(label).decode(bytes);
}

function getMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined;
}

function getCharset(text: string): string | undefined {
  const label = /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(text.slice(0, searchedBytes))?.[1];
  return label !== undefined && isKnown(label) ? label : undefined;
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, searchedBytes));
  for (const [tag] of start.matchAll(/<meta\s[^<>]*/gi)) {
    const label = getCharset(tag);
    // A page whose meta element could be read so is not written in 16-bit letters, whatever it says.
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

/** An element with these children. */
export const element = (tagName: string, children: Element['children'], properties: Element['properties'] = {}) =>
  ({ type: 'element', tagName, properties, children }) satisfies Element;

export const textNode = (value: string) => ({ type: 'text', value }) as const;

export const isElement = (node: Content): node is Element => node.type === 'element';

export const childElements = ({ children }: Parent): Element[] => (children as Content[]).filter(isElement);

/** An attribute as text, undefined where it is not there. */
export function getAttribute({ properties }: Element, name: string): string | undefined {
  const value = properties[name];
  if (value === undefined || value === null || value === false) return undefined;
  return Array.isArray(value) ? value.join(' ') : String(value);
}

const maxClasses = 2000;

const classesOfElements = new WeakMap<Element, readonly string[]>();

/** The classes of an element, in lower case; kept, for they are asked for again and again. */
export function getClasses(node: Element): readonly string[] {
  const known = classesOfElements.get(node);
  if (known !== undefined) return known;
  const classes = getAttribute(node, 'className')?.slice(0, maxClasses).toLowerCase().split(/\s+/) ?? [];
  classesOfElements.set(node, classes);
  return classes;
}

/** Every element below a node in the order of the document. */
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

/** The first element below a node that is meant. */
export function findElement(parent: Parent, isMeant: (node: Element) => boolean): Element | undefined {
  for (const node of getElements(parent)) if (isMeant(node)) return node;
  return undefined;
}

/** The text below a node, as it stands. */
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

/** The beginning of the text on one line, of at most so many letters. */
export function lineUpTo(node: Parent, length: number): string {
  let [line, looked] = ['', 0];
  const stack: Content[] = node.children.toReversed();
  for (let each = stack.pop(); each && line.length < length && looked < 10 * length; each = stack.pop()) {
    looked += 1;
    if (each.type === 'text') line = (line + each.value.slice(0, 5 * length)).replace(/\s+/g, ' ').trimStart();
    if (!isElement(each)) continue;
    for (let index = Math.min(each.children.length, 5 * length) - 1; index >= 0; index -= 1) {
      const child = each.children[index];
      if (child) stack.push(child);
    }
  }
  return line.slice(0, length).trimEnd();
}

/** The text on one line. */
export const getLine = (node: Content | Root): string => getText(node).replace(/\s+/g, ' ').trim();
