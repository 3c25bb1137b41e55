import type { Json } from '../node.ts';
import { type TreeData, textAt, urlReference } from './document-tree.ts';

interface TagKind {
  type: string;
  /** The attribute that is an address. */
  reference?: string;
  /** Stands alone: its end tag may be missing. */
  alone?: boolean;
}

const KINDS: Record<string, TagKind> = {
  hint: { type: 'hint' },
  tabs: { type: 'tabs' },
  tab: { type: 'tabs-item' },
  stepper: { type: 'stepper' },
  step: { type: 'stepper-step' },
  columns: { type: 'columns' },
  column: { type: 'column' },
  code: { type: 'code-frame' },
  embed: { type: 'embed', reference: 'url', alone: true },
  'content-ref': { type: 'content-ref', reference: 'url' },
  file: { type: 'file', reference: 'src', alone: true },
  include: { type: 'reusable-content', alone: true },
  if: { type: 'conditional' },
  updates: { type: 'updates' },
  update: { type: 'update' },
  openapi: { type: 'openapi', reference: 'src' },
  'openapi-operation': { type: 'openapi-operation' },
  'openapi-schemas': { type: 'openapi-schemas' },
  'openapi-webhook': { type: 'openapi-webhook' },
  swagger: { type: 'swagger', reference: 'src' },
};
const NAMES = new Map(Object.entries(KINDS).map(([name, { type }]) => [type, name]));

export const kindOf = (name: string): TagKind | undefined => (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined);

/** The name of the tag that writes a block of this type. */
export const tagNameOf = (type: string): string | undefined => NAMES.get(type);

const TAG = /^\{%-?[ \t]*([a-z][a-z-]*)(?:[ \t]+((?:[^%]|%(?!\}))*?))?[ \t]*-?%\}[ \t]*$/;
const ATTRIBUTE = /([a-zA-Z][\w-]*)=(?:"((?:[^"\\]|\\.)*)"|'([^']*)')[ \t]*/y;
const MAX_TAG_LENGTH = 4096;

/** The name of a tag that fills a line, and what follows the name. */
export function readTag(line: string): { name: string; rest: string } | undefined {
  if (!line.startsWith('{%') || line.length > MAX_TAG_LENGTH) return undefined;
  const [, name, rest = ''] = TAG.exec(line) ?? [];
  return name === undefined ? undefined : { name, rest };
}

/** The data of a tag of a known kind; undefined when it has attributes that cannot be read. */
export function tagData(name: string, rest: string): TreeData | undefined {
  const kind = kindOf(name);
  if (kind === undefined) return undefined;
  if (name === 'if') return rest === '' ? undefined : { condition: rest };
  if (name === 'include') {
    const url = /^"([^"\\]*)"$/.exec(rest)?.[1];
    return url === undefined ? undefined : { ref: urlReference(url) };
  }
  const data: TreeData = {};
  ATTRIBUTE.lastIndex = 0;
  while (ATTRIBUTE.lastIndex < rest.length) {
    const [, key = '', double, single] = ATTRIBUTE.exec(rest) ?? [];
    if (key === '' || key === 'markup' || key === 'ref' || key === '__proto__' || Object.hasOwn(data, key))
      return undefined;
    const value = double?.replace(/\\(.)/g, '$1') ?? single ?? '';
    if (key === kind.reference) data.ref = urlReference(value);
    else data[key] = value;
  }
  return data;
}

/** The opening tag of a block. */
export function renderTag(name: string, data: TreeData): string {
  if (name === 'if') return `{% if ${oneLine(data.condition)} %}`;
  const reference = textAt(data.ref, 'url') ?? '';
  if (name === 'include') return `{% include "${reference.replace(/["\\\n\r]/g, '')}" %}`;
  const kind = kindOf(name);
  const attributes = Object.entries(data).flatMap(([key, value]) => {
    if (key === 'ref') return kind?.reference === undefined ? [] : [attribute(kind.reference, reference)];
    return key === 'markup' || typeof value === 'object' ? [] : [attribute(key, String(value))];
  });
  return `{% ${[name, ...attributes].join(' ')} %}`;
}

const attribute = (key: string, value: string): string =>
  `${key}="${value
    .replace(/[\r\n]+/g, ' ')
    .replace(/["\\]/g, '\\$&')
    .replaceAll('%}', '%\\}')}"`;

const oneLine = (value: Json | undefined): string =>
  String(value ?? '')
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('%}', '')
    .trim();

/** Where a tag ends that opens at a line, and the lines of its parts, as `{% else %}`. */
export type Extent = { end: number; parts: number[] };

/** What follows the backticks of a fence holds none. */
const FENCE = /^(`{3,}(?![^`]*`)|~{3,})/;
const DETAILS = /^<details(?: [^<>]*)?>(?:<summary>.*<\/summary>)?$/;
export const detailsOpening = (line: string): boolean => line.length <= MAX_TAG_LENGTH && DETAILS.test(line);

/** The extents of all tags that are closed, by the line of their opening; one pass over the lines. */
export function extentsOf(lines: string[]): Map<number, Extent> {
  const reader = new ExtentReader();
  for (const line of lines) reader.read(line);
  return reader.extents;
}

/** Finds the extents of tags as it is given the lines of a document, one after the other. */
export class ExtentReader {
  readonly extents = new Map<number, Extent>();
  readonly #open: { name: string; line: number; parts: number[] }[] = [];
  readonly #counts = new Map<string, number>();
  #line = 0;
  #fence = '';

  read(whole: string): void {
    const line = this.#line++;
    const text = bare(whole);
    const marker = FENCE.exec(text)?.[1] ?? '';
    if (this.#fence !== '') {
      if (marker.startsWith(this.#fence) && text === marker) this.#fence = '';
    } else if (marker !== '') this.#fence = marker;
    else if (detailsOpening(text)) this.#begin('<details', line);
    else if (text === '</details>') this.#close('<details', line);
    else this.#readTag(readTag(text)?.name, line);
  }

  #readTag(name: string | undefined, line: number): void {
    if (name === undefined) return;
    if (name.startsWith('end')) this.#close(name.slice(3), line);
    else if (name === 'else' || name === 'elseif') {
      while (kindOf(this.#open.at(-1)?.name ?? '')?.alone === true) this.#count(this.#open.pop()?.name ?? '', -1);
      const top = this.#open.at(-1);
      if (top?.name === 'if') top.parts.push(line);
    } else if (kindOf(name) !== undefined) this.#begin(name, line);
  }

  #begin(name: string, line: number): void {
    this.#open.push({ name, line, parts: [] });
    this.#count(name, 1);
  }

  #close(name: string, line: number): void {
    if ((this.#counts.get(name) ?? 0) === 0) return;
    for (let top = this.#open.pop(); top !== undefined; top = this.#open.pop()) {
      this.#count(top.name, -1);
      if (top.name !== name) continue;
      this.extents.set(top.line, { end: line, parts: top.parts });
      return;
    }
  }

  #count(name: string, by: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }
}

const PREFIX = /^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)?/;
/** A line without what holds it in quotes and lists. */
const bare = (line: string): string => {
  const first = line.trimStart().charAt(0);
  return /[{<`~>*+\-\d]/.test(first) ? line.slice(PREFIX.exec(line)?.[0].length ?? 0).trimEnd() : '';
};
