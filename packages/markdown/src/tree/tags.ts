import type { Json } from '@octavo/expression';
import { type Inline, inline, type TreeData, textAt, urlReference } from './document-tree.ts';

/** Where a tag ends that opens at a line, and the lines of its parts, as `{% else %}`. */
export type Extent = { end: number; parts: number[] };

/** What follows the backticks of a fence holds none. */
const FENCE = /^(`{3,}(?![^`]*`)|~{3,})/;
const DETAILS = /^<details(?: [^<>]*)?>(?:<summary>.*<\/summary>)?$/;
export const detailsOpening = (line: string): boolean => line.length <= MAX_TAG_LENGTH && DETAILS.test(line);

/** Finds the tags of a text as it is given its lines, one after the other. */
export class ExtentReader {
  /** Of all tags that are closed, by the line of their opening. */
  readonly extents = new Map<number, Extent>();
  /** How often each tag stays open (`hint`), or is ended where none is open (`endhint`). */
  readonly faults = new Map<string, number>();
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

  /** What is still open after the last line stays so. */
  end(): void {
    for (const { name } of this.#open) this.#staysOpen(name);
  }

  #readTag(name: string | undefined, line: number): void {
    if (name === undefined) return;
    if (name.startsWith('end')) this.#close(name.slice(3), line);
    else if (name === 'else' || name === 'elseif') this.#part(line);
    else if (kindOf(name) !== undefined) this.#begin(name, line);
  }

  #begin(name: string, line: number): void {
    this.#open.push({ name, line, parts: [] });
    this.#count(name, 1);
  }

  #close(name: string, line: number): void {
    if ((this.#counts.get(name) ?? 0) === 0) {
      if (name === '<details' || kindOf(name) !== undefined) this.#fault(`end${name}`);
      return;
    }
    for (let top = this.#open.pop(); top !== undefined; top = this.#open.pop()) {
      this.#count(top.name, -1);
      if (top.name === name) {
        this.extents.set(top.line, { end: line, parts: top.parts });
        return;
      }
      this.#staysOpen(top.name);
    }
  }

  #part(line: number): void {
    while (kindOf(this.#open.at(-1)?.name ?? '')?.alone === true) this.#count(this.#open.pop()?.name ?? '', -1);
    const top = this.#open.at(-1);
    if (top?.name === 'if') top.parts.push(line);
  }

  #count(name: string, by: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  #staysOpen(name: string): void {
    if (kindOf(name)?.alone !== true) this.#fault(name);
  }

  #fault(what: string): void {
    this.faults.set(what, (this.faults.get(what) ?? 0) + 1);
  }
}

/** Reads the tags of a text in one pass over its lines. */
export function readExtents(lines: string[]): Pick<ExtentReader, 'extents' | 'faults'> {
  const reader = new ExtentReader();
  for (const line of lines) reader.read(line);
  reader.end();
  return reader;
}

const PREFIX = /^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)?/;
/** A line without what holds it in quotes and lists. */
const bare = (line: string): string => {
  const first = line.trimStart().charAt(0);
  return /[{<`~>*+\-\d]/.test(first) ? line.slice(PREFIX.exec(line)?.[0].length ?? 0).trimEnd() : '';
};

/** The tag that fills a line, whatever holds it. */
export const tagOfLine = (line: string): { name: string; rest: string } | undefined => readTag(bare(line));

/** The fence that a line opens or closes, whatever holds it; '' where it does not. */
export const fenceOfLine = (line: string): { marker: string; isBare: boolean } => {
  const text = bare(line);
  const marker = FENCE.exec(text)?.[1] ?? '';
  return { marker, isBare: text === marker };
};

const SIGN = /@(usr_[0-9A-Za-z]{1,40})(?!_{0,3}[0-9A-Za-z]|-[0-9A-Za-z])/y;
const WHOLE = /^@usr_[0-9A-Za-z]{1,40}$/;
const GLUES_BEFORE = /[0-9A-Za-z@/=]$/;
const GLUES_AFTER = /^(?:_{0,3}|-)[0-9A-Za-z]/;

/** The user whom `@usr_...` names at a place of a text. */
export function mentionAt(text: string, position: number): string | undefined {
  if (text.charAt(position) !== '@') return undefined;
  SIGN.lastIndex = position;
  return SIGN.exec(text)?.[1];
}

export const userMention = (user: string): Inline => ({
  ...inline('mention', { ref: { kind: 'user', user } }),
  isVoid: true,
});

/** The text of a mention of a user; undefined for another inline. */
export function renderMention({ data, type }: Inline): string | undefined {
  const sign = `@${textAt(data.ref, 'user') ?? ''}`;
  return type === 'mention' && textAt(data.ref, 'kind') === 'user' && isMention(sign) ? sign : undefined;
}

/** Whether a text is a mention and nothing else. */
export const isMention = (text: string): boolean => WHOLE.test(text);

/** Whether a mention after this text, or before it, is none: in a word, a path or a mail address. */
export const gluesBefore = (text: string): boolean => GLUES_BEFORE.test(text);
export const gluesAfter = (text: string): boolean => GLUES_AFTER.test(text);

interface TagKind {
  type: string;
  /** The attribute that is an address. */
  reference?: string;
  /** Stands alone: its end tag may be missing. */
  alone?: boolean;
  /** Is of an OpenAPI specification, which the attribute `spec` names. */
  ofSpec?: boolean;
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
  'openapi-operation': { type: 'openapi-operation', ofSpec: true },
  'openapi-schemas': { type: 'openapi-schemas', ofSpec: true },
  'openapi-webhook': { type: 'openapi-webhook', ofSpec: true },
  swagger: { type: 'swagger', reference: 'src' },
};
const NAMES = new Map(Object.entries(KINDS).map(([name, { type }]) => [type, name]));

export const kindOf = (name: string): TagKind | undefined => (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined);

/** The name of the tag that writes a block of this type. */
export const tagNameOf = (type: string): string | undefined => NAMES.get(type);

const TAG = /^\{%-?[ \t]*([a-z][a-z-]*)(?:[ \t]+((?:[^%]|%(?!\}))*?))?[ \t]*-?%\}[ \t]*$/;
const ATTRIBUTE = /([a-zA-Z][\w-]*)=(?:"((?:[^"\\]|\\.)*)"|'([^']*)')[ \t]*/y;
export const MAX_TAG_LENGTH = 4096;

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
    else if (kind.ofSpec === true && key === 'spec') data.ref = { kind: 'openapi', spec: value };
    else data[key] = kind.ofSpec === true ? specValue(key, value) : value;
  }
  return data;
}

/** What an attribute says of a part of a specification. */
function specValue(key: string, value: string): Json {
  if (key === 'schemas') return value.split(',').map((name) => name.trim());
  return key === 'grouped' && /^(?:true|false)$/.test(value) ? value === 'true' : value;
}

/** The opening tag of a block. */
export function renderTag(name: string, data: TreeData): string {
  if (name === 'if') return `{% if ${oneLine(data.condition)} %}`;
  const reference = textAt(data.ref, 'url') ?? '';
  if (name === 'include') return `{% include "${reference.replace(/["\\\n\r]/g, '')}" %}`;
  const kind = kindOf(name);
  const attributes = Object.entries(data).flatMap(([key, value]) => {
    if (key === 'ref' && kind?.ofSpec === true) return [attribute('spec', textAt(value, 'spec') ?? '')];
    if (key === 'ref') return kind?.reference === undefined ? [] : [attribute(kind.reference, reference)];
    if (key === 'schemas' && Array.isArray(value)) return [attribute(key, value.join(','))];
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
