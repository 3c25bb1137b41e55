import { parse as parseToml } from 'smol-toml';
import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';

/** A value of a script that is not plain data: a call, a name or a function. It is never executed. */
export class NotPlain {
  /** The name of the called function and its arguments, if it is a call. */
  readonly call: string | undefined;
  readonly args: DataValue[];

  constructor(call?: string, args: DataValue[] = []) {
    this.call = call;
    this.args = args;
  }
}

/** A function of a script. It can be run to get the data that it returns. */
export class DataFunction extends NotPlain {
  readonly run: (args: DataValue[], depth: number) => DataValue;

  constructor(run: DataFunction['run']) {
    super();
    this.run = run;
  }
}

export type DataValue = string | number | boolean | null | undefined | DataValue[] | DataObject | NotPlain;

export interface DataObject {
  [key: string]: DataValue;
}

export const isObject = (value: DataValue): value is DataObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NotPlain);

export const getObject = (value: DataValue): DataObject => (isObject(value) ? value : {});

/** Returns the value at a path of keys. */
export function getValueAt(value: DataValue, ...keys: string[]): DataValue {
  let current = value;
  for (const key of keys) current = isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  return current;
}

export function getTextAt(value: DataValue, ...keys: string[]): string | undefined {
  const leaf = getValueAt(value, ...keys);
  if (typeof leaf === 'number') return String(leaf);
  return typeof leaf === 'string' && leaf !== '' ? leaf : undefined;
}

export const getList = (value: DataValue): DataValue[] => (Array.isArray(value) ? value : []);

/** Returns the strings of a list. */
export const readTexts = (value: DataValue): string[] =>
  getList(value).filter((value): value is string => typeof value === 'string');

/** Returns a number, which may be written as a string. */
export function getNumber(value: DataValue): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && /^-?\d{1,9}(?:\.\d{1,9})?$/.test(value.trim()) ? Number(value) : undefined;
}

const maxDepth = 100;
const maxAliases = 100;

/**
 * Parses YAML as data. Language-specific tags (`!!python/name:x`) become the text after them. Aliases are resolved, at
 * most 100 times. Values nested deeper than 100 levels are omitted.
 * @throws Error if the text is not valid YAML. The message has the position.
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

/** Converts a YAML node to plain data. Aliases are resolved by `resolve`, or omitted without it. */
export function toData(node: unknown, resolve: (node: unknown) => unknown = () => undefined, depth = 0): DataValue {
  if (depth > maxDepth) return undefined;
  if (isAlias(node)) return toData(resolve(node), resolve, depth + 1);
  if (isScalar(node)) return toScalar(node.value);
  if (isSeq(node)) return node.items.map((each) => toData(each, resolve, depth + 1));
  if (!isMap(node)) return undefined;
  const result: DataObject = Object.create(null);
  for (const { key, value } of node.items) {
    if (isScalar(key)) result[String(key.value)] ??= toData(value, resolve, depth + 1);
  }
  return result;
}

const toScalar = (value: unknown): DataValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null
    ? value
    : String(value);

/** Parses TOML as data. Dates become strings. @throws Error if the text is not valid TOML. */
export function readToml(text: string): DataValue {
  try {
    return toPlainData(parseToml(text));
  } catch (error) {
    throw new Error(String(error instanceof Error ? error.message : error).split('\n', 1)[0]);
  }
}

/** Converts parsed JSON or TOML to data. Values nested deeper than 100 levels are omitted. */
export function toPlainData(value: unknown, depth = 0): DataValue {
  if (depth > maxDepth) return undefined;
  if (Array.isArray(value)) return value.map((each) => toPlainData(each, depth + 1));
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return toScalar(value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toPlainData(each, depth + 1)]));
}
