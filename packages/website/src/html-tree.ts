import type { fromHtml } from 'hast-util-from-html';

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
export function attributeOf({ properties }: Element, name: string): string | undefined {
  const value = properties[name];
  if (value === undefined || value === null || value === false) return undefined;
  return Array.isArray(value) ? value.join(' ') : String(value);
}

const maxClasses = 2000;

/** The classes of an element, in lower case. */
export const classesOf = (node: Element): string[] =>
  attributeOf(node, 'className')?.slice(0, maxClasses).toLowerCase().split(/\s+/) ?? [];

/** Every element below a node in the order of the document. */
export function* elementsOf(parent: Parent): Generator<Element> {
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
  for (const node of elementsOf(parent)) if (isMeant(node)) return node;
  return undefined;
}

/** The text below a node, as it stands. */
export function textOf(node: Content | Root): string {
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

/** The text on one line. */
export const lineOf = (node: Content | Root): string => textOf(node).replace(/\s+/g, ' ').trim();
