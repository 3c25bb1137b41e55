import type { Json } from '@octavo/expression';
import { createUrlReference, getTextAt, type Inline, inline, type TreeData } from './document-tree.ts';

const SIGN = /@(usr_[0-9A-Za-z]{1,40})(?!_{0,3}[0-9A-Za-z]|-[0-9A-Za-z])/y;
const WHOLE = /^@usr_[0-9A-Za-z]{1,40}$/;
const GLUES_BEFORE = /[0-9A-Za-z@/=]$/;
const GLUES_AFTER = /^(?:_{0,3}|-)[0-9A-Za-z]/;

/** Returns the user of a mention (`@usr_...`) at a position. */
export function readMention(text: string, position: number): string | undefined {
  if (text.charAt(position) !== '@') return undefined;
  SIGN.lastIndex = position;
  return SIGN.exec(text)?.[1];
}

export const createUserMention = (user: string): Inline => ({
  ...inline('mention', { ref: { kind: 'user', user } }),
  isVoid: true,
});

/** Returns the text of a user mention; undefined for another inline. */
export function renderMention({ data, type }: Inline): string | undefined {
  const sign = `@${getTextAt(data.ref, 'user') ?? ''}`;
  return type === 'mention' && getTextAt(data.ref, 'kind') === 'user' && isMention(sign) ? sign : undefined;
}

/** Whether a text is a single mention. */
export const isMention = (text: string): boolean => WHOLE.test(text);

/** Whether a mention next to this text is not parsed: in a word, a path or an e-mail address. */
export const blocksMention = (text: string): boolean => GLUES_BEFORE.test(text);
export const gluesAfter = (text: string): boolean => GLUES_AFTER.test(text);

interface TagKind {
  type: string;
  /** The attribute with an address. */
  reference?: string;
  /** The end tag is optional. */
  isVoid?: boolean;
  /** The block shows a part of an OpenAPI specification, given by the attribute `spec`. */
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
  embed: { type: 'embed', reference: 'url', isVoid: true },
  'page-ref': { type: 'content-ref', reference: 'page', isVoid: true },
  'content-ref': { type: 'content-ref', reference: 'url' },
  file: { type: 'file', reference: 'src', isVoid: true },
  include: { type: 'reusable-content', isVoid: true },
  if: { type: 'conditional' },
  updates: { type: 'updates' },
  update: { type: 'update' },
  openapi: { type: 'openapi', reference: 'src' },
  'openapi-operation': { type: 'openapi-operation', ofSpec: true },
  'openapi-schemas': { type: 'openapi-schemas', ofSpec: true },
  'openapi-webhook': { type: 'openapi-webhook', ofSpec: true },
  swagger: { type: 'swagger', reference: 'src' },
  prompt: { type: 'prompt' },
  'swagger-description': { type: 'swagger-description' },
  'swagger-parameter': { type: 'swagger-parameter' },
  'swagger-response': { type: 'swagger-response' },
};
const NAMES = new Map(Object.entries(KINDS).map(([name, { type }]) => [type, name]));

/** The names of all blocks. */
export const blockNames = Object.keys(KINDS);

export const getKind = (name: string): TagKind | undefined => (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined);

/** Returns the tag name of a block type. */
export const getTagName = (type: string): string | undefined => NAMES.get(type);

const TAG = /^\{%-?[ \t]*([a-z][a-z-]*)(?:[ \t]+((?:[^%]|%(?!\}))*?))?[ \t]*-?%\}[ \t]*$/;
const ATTRIBUTE = /([a-zA-Z][\w-]*)=(?:"((?:[^"\\]|\\.)*)"|'([^']*)')[ \t]*/y;
export const MAX_TAG_LENGTH = 4096;

/** Parses a tag on a line of its own: its name and the text after it. */
export function readTag(line: string): { name: string; rest: string } | undefined {
  if (!line.startsWith('{%') || line.length > MAX_TAG_LENGTH) return undefined;
  const [, name, rest = ''] = TAG.exec(line) ?? [];
  return name === undefined ? undefined : { name, rest };
}

/** Returns the data of a known tag; undefined if its attributes are malformed. */
export function readTagData(name: string, rest: string): TreeData | undefined {
  const kind = getKind(name);
  if (kind === undefined) return undefined;
  if (name === 'if') return rest === '' ? undefined : { condition: rest };
  if (name === 'include') {
    const url = /^"([^"\\]*)"$/.exec(rest)?.[1];
    return url === undefined ? undefined : { ref: createUrlReference(url) };
  }
  const data: TreeData = {};
  ATTRIBUTE.lastIndex = 0;
  while (ATTRIBUTE.lastIndex < rest.length) {
    const [, key = '', double, single] = ATTRIBUTE.exec(rest) ?? [];
    if (key === '' || key === 'markup' || key === 'ref' || key === '__proto__' || Object.hasOwn(data, key))
      return undefined;
    const value = double?.replace(/\\(.)/g, '$1') ?? single ?? '';
    if (key === kind.reference)
      data.ref = isSpecSource(name, value) ? createSpecReference(value) : createUrlReference(value);
    else if (kind.ofSpec === true && key === 'spec') data.ref = createSpecReference(value);
    else data[key] = kind.ofSpec === true ? parseSpecValue(key, value) : value;
  }
  return data;
}

const createSpecReference = (spec: string): TreeData => ({ kind: 'openapi', spec });

/** Whether the source of an `openapi` block is the slug of a specification of the organization, not a file. */
export const isSpecSource = (name: string, source: string): boolean =>
  /^(?:openapi|swagger)$/.test(name) && isSpecSlug(source);

const slug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const maxSlugLength = 100;

/** Whether a text can be the slug of a specification. */
export const isSpecSlug = (text: string): boolean => text.length <= maxSlugLength && slug.test(text);

/** Parses the value of an attribute that selects a part of a specification. */
function parseSpecValue(key: string, value: string): Json {
  if (key === 'schemas') return value.split(',').map((name) => name.trim());
  return key === 'grouped' && /^(?:true|false)$/.test(value) ? value === 'true' : value;
}

/** Renders the opening tag of a block. */
export function renderTag(name: string, data: TreeData): string {
  if (name === 'if') return `{% if ${toOneLine(data.condition)} %}`;
  const reference = getTextAt(data.ref, 'url') ?? '';
  if (name === 'include') return `{% include "${reference.replace(/["\\\n\r]/g, '')}" %}`;
  const kind = getKind(name);
  const attributes = Object.entries(data).flatMap(([key, value]) => {
    if (key === 'ref' && kind?.ofSpec === true) return [formatAttribute('spec', getTextAt(value, 'spec') ?? '')];
    if (key === 'ref')
      return kind?.reference === undefined
        ? []
        : [formatAttribute(kind.reference, getTextAt(value, 'spec') ?? reference)];
    if (key === 'schemas' && Array.isArray(value)) return [formatAttribute(key, value.join(','))];
    return key === 'markup' || typeof value === 'object' ? [] : [formatAttribute(key, String(value))];
  });
  return `{% ${[name, ...attributes].join(' ')} %}`;
}

const formatAttribute = (key: string, value: string): string =>
  `${key}="${value
    .replace(/[\r\n]+/g, ' ')
    .replace(/["\\]/g, '\\$&')
    .replaceAll('%}', '%\\}')}"`;

const toOneLine = (value: Json | undefined): string =>
  String(value ?? '')
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('%}', '')
    .trim();
