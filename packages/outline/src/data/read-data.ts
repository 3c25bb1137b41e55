import { parse as parseToml } from 'smol-toml';
import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';

/** What a script says that is not plain data: a call, a name, a function. Nothing of it is ever run. */
export class NotPlain {
  /** The name and the arguments of a call, where it is one. */
  readonly call: string | undefined;
  readonly args: DataValue[];

  constructor(call?: string, args: DataValue[] = []) {
    this.call = call;
    this.args = args;
  }
}

export type DataValue = string | number | boolean | null | undefined | DataValue[] | DataObject | NotPlain;

export interface DataObject {
  [key: string]: DataValue;
}

export const isObject = (value: DataValue): value is DataObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NotPlain);

export const getObject = (value: DataValue): DataObject => (isObject(value) ? value : {});

/** The value of a key of an object, by several names below each other. */
export function valueAt(value: DataValue, ...keys: string[]): DataValue {
  let at = value;
  for (const key of keys) at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

export function textAt(value: DataValue, ...keys: string[]): string | undefined {
  const found = valueAt(value, ...keys);
  if (typeof found === 'number') return String(found);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export const getList = (value: DataValue): DataValue[] => (Array.isArray(value) ? value : []);

/** The texts of a list. */
export const textsIn = (value: DataValue): string[] =>
  getList(value).filter((each): each is string => typeof each === 'string');

/** A number, also one that is written as a text. */
export function getNumber(value: DataValue): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && /^-?\d{1,9}(?:\.\d{1,9})?$/.test(value.trim()) ? Number(value) : undefined;
}

/** What a configuration is that is handed to a function for its types (`defineConfig`). */
export function unwrapped(value: DataValue): DataValue {
  let at = value;
  while (at instanceof NotPlain && at.args.length > 0) at = at.args[0];
  return at;
}

const maxDepth = 100;
const maxAliases = 100;

/**
 * YAML as data: tags of other languages (`!!python/name:x`) are taken as the text after them, an alias is what it names,
 * a hundred times at most, and a value beyond 100 levels is left out.
 * @throws Error where the text is no YAML; the message says where.
 */
export function readYaml(text: string): DataValue {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent', strict: false });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(error.message.split('\n', 1)[0]);
  let aliases = 0;
  return toData(document.contents, (node) => {
    aliases += 1;
    return isAlias(node) && aliases <= maxAliases ? node.resolve(document) : undefined;
  });
}

/** The plain data of a node of YAML; an alias is what `resolve` makes of it, and nothing without that. */
export function toData(node: unknown, resolve: (node: unknown) => unknown = () => undefined, depth = 0): DataValue {
  if (depth > maxDepth) return undefined;
  if (isAlias(node)) return toData(resolve(node), resolve, depth + 1);
  if (isScalar(node)) return scalar(node.value);
  if (isSeq(node)) return node.items.map((each) => toData(each, resolve, depth + 1));
  if (!isMap(node)) return undefined;
  const found: DataObject = Object.create(null);
  for (const { key, value } of node.items) {
    if (isScalar(key)) found[String(key.value)] ??= toData(value, resolve, depth + 1);
  }
  return found;
}

const scalar = (value: unknown): DataValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null
    ? value
    : String(value);

/** TOML as data; a date is a text. @throws Error where the text is no TOML. */
export function readToml(text: string): DataValue {
  try {
    return toPlain(parseToml(text));
  } catch (error) {
    throw new Error(String(error instanceof Error ? error.message : error).split('\n', 1)[0]);
  }
}

/** What JSON and TOML hold as data; a value beyond 100 levels is left out. */
export function toPlain(value: unknown, depth = 0): DataValue {
  if (depth > maxDepth) return undefined;
  if (Array.isArray(value)) return value.map((each) => toPlain(each, depth + 1));
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return scalar(value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toPlain(each, depth + 1)]));
}
