import type { AnyNode, Pattern } from 'acorn';
import type { Module } from './modules.ts';
import { type DataValue, getList, getValueAt, isObject, NotPlain } from './read-data.ts';

/** Evaluates a name only when it is used, so that unused values of a script cost nothing. */
export type Read = (depth: number) => DataValue;

/** Evaluates code of a program, and records code that it skips. */
export interface Evaluator {
  evaluate: (node: AnyNode, scope: Scope, depth: number) => DataValue;
  /** Records code that is skipped. `name` describes it. */
  skip: (node: AnyNode, scope: Scope, name: string) => void;
  /** Returns an export of another module. `from` is the name in the import of that module. */
  evaluateImport: (module: Module, from: string, name: string, depth: number) => DataValue;
}

/** The names that code can use: those of its function and of the enclosing scopes. */
export class Scope {
  readonly module: Module;
  readonly #above: Scope | undefined;
  readonly #names = new Map<string, Read>();

  constructor(module: Module, above?: Scope) {
    this.module = module;
    this.#above = above;
  }

  /** Declares a name. A value that depends on itself is not plain data. */
  declare(name: string, read: Read): void {
    let isReading = false;
    this.#names.set(name, (depth) => {
      if (isReading) return new NotPlain();
      isReading = true;
      try {
        return read(depth);
      } finally {
        isReading = false;
      }
    });
  }

  find(name: string): Read | undefined {
    return this.#names.get(name) ?? this.#above?.find(name);
  }

  /** Declares the names of a pattern such as `{ a, b: [c] }`. `evaluate` reads default values. */
  bind(pattern: Pattern, read: Read, evaluate: (node: AnyNode, scope: Scope, depth: number) => DataValue): void {
    if (pattern.type === 'Identifier') this.declare(pattern.name, read);
    else if (pattern.type === 'AssignmentPattern')
      this.bind(pattern.left, (depth) => read(depth) ?? evaluate(pattern.right, this, depth), evaluate);
    else if (pattern.type === 'ObjectPattern')
      for (const property of pattern.properties) {
        if (property.type === 'RestElement') this.bind(property.argument, () => new NotPlain(), evaluate);
        else {
          const key = property.computed ? undefined : getKey(property.key);
          this.bind(property.value, (depth) => getMember(read(depth), key), evaluate);
        }
      }
    else if (pattern.type === 'ArrayPattern')
      pattern.elements.forEach((each, index) => {
        if (each) this.bind(each, (depth) => getMember(read(depth), index), evaluate);
      });
    else if (pattern.type === 'RestElement') this.bind(pattern.argument, () => new NotPlain(), evaluate);
  }
}

/** Returns the name of an identifier, or the value of a literal key. */
export const getKey = (node: AnyNode): string | undefined =>
  node.type === 'Identifier' ? node.name : node.type === 'Literal' ? String(node.value) : undefined;

/** Returns a member of an object or a list. A member of a value that is not plain data is not plain data either. */
export function getMember(value: DataValue, key: DataValue): DataValue {
  if (Array.isArray(value) && typeof key === 'number') return value[key];
  if (Array.isArray(value) && key === 'length') return getList(value).length;
  if (isObject(value) && (typeof key === 'string' || typeof key === 'number')) return getValueAt(value, String(key));
  return new NotPlain();
}
