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

export const objectOf = (value: DataValue): DataObject => (isObject(value) ? value : {});

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

export const listOf = (value: DataValue): DataValue[] => (Array.isArray(value) ? value : []);

/** The texts of a list. */
export const textsIn = (value: DataValue): string[] =>
  listOf(value).filter((each): each is string => typeof each === 'string');

/** A number, also one that is written as a text. */
export function numberOf(value: DataValue): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && /^-?\d{1,9}(?:\.\d{1,9})?$/.test(value.trim()) ? Number(value) : undefined;
}

/** What a configuration is that is handed to a function for its types (`defineConfig`). */
export function unwrapped(value: DataValue): DataValue {
  let at = value;
  while (at instanceof NotPlain && at.args.length > 0) at = at.args[0];
  return at;
}
