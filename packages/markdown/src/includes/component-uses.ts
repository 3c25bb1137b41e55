import type { Include } from './select-part.ts';

const imported =
  /^import[ \t]{1,20}([A-Z][\w$]{0,100})[ \t]{1,20}from[ \t]{0,20}(['"])([^'"\n]{1,500}\.mdx?)\2[ \t]{0,20};?[ \t\r]{0,20}$/gm;
const maxComponents = 100;
/** Maximum number of characters that are read on a line before a component. */
const maxBefore = 1_000;

/** Returns the markdown files that a page imports as components, by the name of the component. */
export function findImportedComponents(markdown: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const { 1: name = '', 3: address = '' } of markdown.matchAll(imported))
    if (found.size < maxComponents) found.set(name, address);
  return found;
}

const importedCode =
  /^import[ \t]{1,20}([\w$]{1,100})[ \t]{1,20}from[ \t]{0,20}(['"])(?:!{0,2}raw-loader!([^'"\n]{1,500})|([^'"?\n]{1,500})\?raw)\2/gm;

/** Returns the files that a page imports as text (`!!raw-loader!./a.js`, `./a.js?raw`), by the name of the variable. */
function findImportedTexts(markdown: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const { 1: name = '', 3: loaded, 4: address = '' } of markdown.matchAll(importedCode))
    if (found.size < maxComponents) found.set(name, loaded ?? address);
  return found;
}

const opening = /<([A-Z][\w$]{0,100})/g;
const attributes =
  /((?:[ \t\r\n]{1,20}[\w-]{1,100}(?:=(?:"[^"]{0,1000}"|'[^']{0,1000}'|\{[^{}]{0,1000}\}))?){0,30})[ \t\r\n]{0,20}(\/?)>/y;
const property = /([\w-]{1,100})(?:=(?:"([^"]{0,1000})"|'([^']{0,1000})'|\{([^{}]{0,1000})\}))?/g;
const codeVariable =
  /^<(?:CodeBlock[^>]{0,1000}>\s{0,20}\{|Code\s[^>]{0,1000}?\bcode=\{)\s{0,20}([\w$]{1,100})\s{0,20}\}/;

/**
 * Returns the uses of components that are imported from markdown files, and of the components `<CodeBlock>` and
 * `<Code>` that show an imported text. `isCode` returns whether an offset is in a code block; uses in code are ignored.
 */
export function findComponentUses(markdown: string, isCode: (offset: number) => boolean): Include[] {
  const components = findImportedComponents(markdown);
  const texts = findImportedTexts(markdown);
  const includes: Include[] = [];
  let position = 0;
  let attempts = 0;
  let codeComponents = 0;
  if (components.size === 0 && texts.size === 0) return includes;
  for (const { index, 0: start, 1: name = '' } of markdown.matchAll(opening)) {
    const isCodeComponent = texts.size > 0 && /^Code(?:Block)?$/.test(name) && codeComponents < maxComponents;
    if (isCodeComponent) codeComponents += 1;
    const variable = isCodeComponent ? codeVariable.exec(markdown.slice(index, index + 2_500))?.[1] : undefined;
    const address = components.get(name) ?? texts.get(variable ?? '');
    if (address === undefined || index < position || isCode(index)) continue;
    const before = markdown.slice(Math.max(markdown.lastIndexOf('\n', index) + 1, index - maxBefore), index);
    if (before.split('`').length % 2 === 0) continue;
    attempts += 1;
    if (attempts > maxComponents) break;
    const use = readUse(markdown, { name, before, after: index + start.length });
    if (use === undefined) continue;
    includes.push(variable === undefined ? { ...use, address } : toCode(use, address));
    position = use.end;
  }
  return includes;
}

type Use = Omit<Include, 'address'>;

function toCode({ start, end, indent, properties = {} }: Use, address: string): Include {
  const { language = properties.lang ?? getFileEnding(address), title } = properties;
  const plainTitle = title?.replaceAll('"', "'").replace(/\s+/g, ' ');
  const info = plainTitle === undefined ? language : `${language} title="${plainTitle}"`;
  return { start, end, indent, address, info };
}

/** Returns the extension of a file, or '' without one. A code block with the file has it as its language. */
export const getFileEnding = (address: string): string => /\.([a-z\d]+)$/i.exec(address)?.[1] ?? '';

/** Parses a component with its properties and its content. Undefined if it is malformed or not closed. */
function readUse(
  markdown: string,
  { name, before, after }: { name: string; before: string; after: number },
): Use | undefined {
  attributes.lastIndex = after;
  const [whole, written = '', isEmpty] = attributes.exec(markdown) ?? [];
  if (whole === undefined) return undefined;
  const inside = after + whole.length;
  const close = isEmpty === '/' ? inside : markdown.indexOf(`</${name}>`, inside);
  if (close < 0) return undefined;
  const end = isEmpty === '/' ? inside : close + name.length + 3;
  const isAlone = /^[ \t]*$/.test(before) && /^[ \t\r]*(?:\n|(?![\s\S]))/.test(markdown.slice(end, end + 100));
  const children = markdown.slice(inside, close).trim();
  return {
    start: after - name.length - 1 - (isAlone ? before.length : 0),
    end,
    indent: isAlone ? before : undefined,
    properties: getProperties(written),
    children,
  };
}

/** Returns the properties whose values are plain: texts, numbers and flags. */
function getProperties(written: string): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const [, name = '', double, single, expression] of written.matchAll(property)) {
    const plain =
      expression === undefined ? 'true' : /^\s*(?:(["'`])([^"'`$\\]*)\1|(-?[\d.]+|true|false))\s*$/.exec(expression);
    const value = double ?? single ?? (typeof plain === 'string' ? plain : (plain?.[2] ?? plain?.[3]));
    if (value !== undefined) values[name] = value;
  }
  return values;
}

const reference = /\{[ \t]{0,9}props\.([\w-]{1,100})[ \t]{0,9}\}/g;
const liquidReference = /\{\{-?[ \t]{0,9}include\.([\w-]{1,100})[ \t]{0,9}(?:\|[^{}\n]{0,200})?\}\}/g;

/**
 * Replaces `{props.name}` and `{props.children}` in the text of a component, and `{{ include.name }}` in a text that
 * Jekyll includes. Unknown values are left out.
 */
export const fillProperties = (text: string, { properties = {}, children }: Include): string =>
  text.replace(children === undefined ? liquidReference : reference, (_, name: string) =>
    name === 'children' ? (children ?? '') : (properties[name] ?? ''),
  );
