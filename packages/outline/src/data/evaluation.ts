import type { AnyNode, CallExpression, Function as FunctionNode, MemberExpression, ObjectExpression } from 'acorn';
import { toDisplayName } from '../paths.ts';
import { getNames, type ModuleNames } from './module-names.ts';
import { getModulePaths, type Loaded, type Module } from './modules.ts';
import { calculate, calculateUnary, isTrue } from './operators.ts';
import { DataFunction, type DataObject, type DataValue, isObject, NotPlain } from './read-data.ts';
import { type Evaluator, getKey, getMember, Scope } from './scope.ts';
import { runStatements } from './statements.ts';

const maxDepth = 100;
const maxValues = 100_000;
/** Number of characters of a text that count as one value. */
const lengthOfValue = 64;
const maxSkipped = 1_000;

/**
 * Evaluates the data of a program: values, names, conditions, and functions that return data. It calls no other code.
 */
export class Evaluation implements Evaluator {
  /** Descriptions of the code that was skipped, by position. */
  readonly skipped = new Map<string, string>();
  readonly #modules: Loaded;
  readonly #names = new Map<Module, ModuleNames>();
  readonly #main: string;
  #values = 0;

  constructor(main: string, modules: Loaded) {
    this.#main = main;
    this.#modules = modules;
  }

  /** Returns an export of a module, or an object of all its exports if the name is `*`. */
  evaluateExport(path: string, name: string, depth: number): DataValue {
    const module = this.#modules.get(path);
    if (module === undefined) return new NotPlain();
    if ('error' in module) {
      this.skipped.set(path, `${path}: ${module.error}`);
      return new NotPlain();
    }
    if ('data' in module) return name === 'default' || name === '*' ? module.data : getMember(module.data, name);
    if (depth > maxDepth) return new NotPlain();
    const names = this.#getModuleNames(module);
    const read = names.exports.get(name);
    if (read) return read(depth);
    if (name === '*') return this.#getAllExports(names, depth);
    for (const from of names.all) {
      const value = this.evaluateImport(module, from, name, depth + 1);
      if (!(value instanceof NotPlain)) return value;
    }
    if (name === 'default') return names.exports.size > 0 ? this.#getAllExports(names, depth) : undefined;
    return getMember(names.exports.get('default')?.(depth), name);
  }

  evaluateImport(module: Module, from: string, name: string, depth: number): DataValue {
    const path = getModulePaths(module.path, from).find((each) => this.#modules.has(each));
    return path === undefined ? new NotPlain() : this.evaluateExport(path, name, depth);
  }

  skip(node: AnyNode, { module }: Scope, name: string): void {
    if (this.skipped.size >= maxSkipped) return;
    const line = `line ${module.lineOf(node)}${module.path === this.#main ? '' : ` of ${module.path}`}`;
    this.skipped.set(`${module.path}:${node.start}`, `${toDisplayName(name)} (${line})`);
  }

  evaluate(node: AnyNode, scope: Scope, depth: number): DataValue {
    this.#count(1);
    if (depth > maxDepth) return new NotPlain();
    const evaluateInner = (each: AnyNode): DataValue => this.evaluate(each, scope, depth + 1);
    switch (node.type) {
      case 'Literal':
        return this.#evaluateLiteral(node.value);
      case 'TemplateLiteral':
        return this.#evaluateTemplate(
          node.quasis.map(({ value }) => value.cooked ?? ''),
          node.expressions.map(evaluateInner),
        );
      case 'Identifier':
        return this.#evaluateIdentifier(node.name, scope, depth);
      case 'ArrayExpression':
        return this.#list(node.elements, scope, { depth, isReported: true });
      case 'ObjectExpression':
        return this.#evaluateObject(node, scope, depth);
      case 'FunctionExpression':
      case 'FunctionDeclaration':
      case 'ArrowFunctionExpression':
        return this.#evaluateFunction(node, scope);
      case 'CallExpression':
        return this.#evaluateCall(node, scope, depth);
      case 'MemberExpression':
        return this.#evaluateMember(node, scope, depth);
      case 'UnaryExpression':
        return calculateUnary(node.operator, evaluateInner(node.argument));
      case 'BinaryExpression':
        return this.#countText(calculate(node.operator, evaluateInner(node.left), evaluateInner(node.right)));
      case 'LogicalExpression':
        return this.#evaluateLogical(node.operator, evaluateInner(node.left), () => evaluateInner(node.right));
      case 'ConditionalExpression': {
        const truth = isTrue(evaluateInner(node.test));
        return truth === undefined ? new NotPlain() : evaluateInner(truth ? node.consequent : node.alternate);
      }
      default:
        return this.#evaluateWrapped(node, evaluateInner);
    }
  }

  #evaluateWrapped(node: AnyNode, inner: (node: AnyNode) => DataValue): DataValue {
    if (!transparent.has(node.type)) return new NotPlain();
    if ('expression' in node && typeof node.expression === 'object') return inner(node.expression);
    return 'argument' in node && node.argument ? inner(node.argument) : new NotPlain();
  }

  #count(values: number): void {
    this.#values += values;
    if (this.#values > maxValues) throw new Error(`it has more than ${maxValues} values`);
  }

  #getModuleNames(module: Module): ModuleNames {
    const names = this.#names.get(module) ?? getNames(module, this);
    this.#names.set(module, names);
    return names;
  }

  #getAllExports({ scope, exports, all }: ModuleNames, depth: number): DataObject {
    const result: DataObject = Object.create(null);
    for (const from of all) {
      const value = this.evaluateImport(scope.module, from, '*', depth + 1);
      if (isObject(value)) Object.assign(result, value);
    }
    for (const [name, read] of exports) result[name] = read(depth + 1);
    return result;
  }

  #evaluateLiteral(value: unknown): DataValue {
    if (typeof value === 'bigint') return Number(value);
    if (value === null) return null;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : new NotPlain();
  }

  #evaluateTemplate(texts: string[], values: DataValue[]): DataValue {
    let whole: DataValue = texts[0] ?? '';
    values.forEach((value, index) => {
      whole = calculate('+', calculate('+', whole, value), texts[index + 1] ?? '');
      this.#countText(whole);
    });
    return whole;
  }

  /** Counts a computed text as a number of values that depends on its length. */
  #countText(value: DataValue): DataValue {
    if (typeof value === 'string') this.#count(Math.ceil(value.length / lengthOfValue));
    return value;
  }

  #evaluateIdentifier(name: string, scope: Scope, depth: number): DataValue {
    if (name === 'undefined') return undefined;
    return scope.find(name)?.(depth + 1) ?? (scope.find(name) ? undefined : new NotPlain());
  }

  #list(
    elements: readonly (AnyNode | null)[],
    scope: Scope,
    { depth, isReported = false }: { depth: number; isReported?: boolean },
  ): DataValue[] {
    const result: DataValue[] = [];
    for (const each of elements) {
      if (each === null) continue;
      const isSpread = each.type === 'SpreadElement';
      const value = this.evaluate(isSpread ? each.argument : each, scope, depth + 1);
      if (isSpread && Array.isArray(value)) {
        this.#count(value.length);
        result.push(...value);
      } else if (!isSpread || isTrue(value) !== false) {
        if (isReported) this.#report(value, each, scope, 'a list item');
        result.push(value);
      }
    }
    return result;
  }

  /** Records that a value is not plain data, unless it is a call that a convention interprets. */
  #report(value: DataValue, node: AnyNode, scope: Scope, name: string): void {
    if (!(value instanceof NotPlain) || value.call === 'starlight') return;
    this.skip(node, scope, value.call ? `${name}: ${value.call}()` : name);
  }

  #evaluateObject({ properties }: ObjectExpression, scope: Scope, depth: number): DataObject {
    const result: DataObject = Object.create(null);
    for (const each of properties) {
      if (each.type === 'SpreadElement') {
        const value = this.evaluate(each.argument, scope, depth + 1);
        if (value instanceof NotPlain) this.skip(each, scope, 'spread properties');
        if (!isObject(value)) continue;
        this.#count(Object.keys(value).length);
        Object.assign(result, value);
        continue;
      }
      const key = each.computed ? this.evaluate(each.key, scope, depth + 1) : getKey(each.key);
      const isValue = each.kind === 'init' && !each.method;
      const value = isValue ? this.evaluate(each.value, scope, depth + 1) : new NotPlain();
      const isKey = typeof key === 'string' || typeof key === 'number';
      this.#report(isKey ? value : new NotPlain(), each, scope, isKey ? String(key) : 'a computed property');
      if (isKey) result[String(key)] = value;
    }
    return result;
  }

  #evaluateFunction(node: FunctionNode, scope: Scope): DataValue {
    if (node.generator) return new NotPlain();
    return new DataFunction((args, depth) => {
      if (depth > maxDepth) return new NotPlain();
      const inside = new Scope(scope.module, scope);
      node.params.forEach((param, index) => {
        inside.bind(
          param,
          () => args[index],
          (each, own, at) => this.evaluate(each, own, at + 1),
        );
      });
      if (node.body.type !== 'BlockStatement') return this.evaluate(node.body, inside, depth + 1);
      return runStatements(node.body.body, inside, { evaluator: this, depth: depth + 1 })?.value;
    });
  }

  #evaluateCall({ callee, arguments: written }: CallExpression, scope: Scope, depth: number): DataValue {
    const args = this.#list(written, scope, { depth });
    const name = getPath(callee);
    const [first] = args;
    if (name === 'require' && typeof first === 'string')
      return this.evaluateImport(scope.module, first, 'default', depth + 1);
    if (/^(?:require|import\.meta|path)\.(?:resolve|join)$/.test(name))
      return args.filter((each) => typeof each === 'string').join('/');
    const target = callee.type === 'MemberExpression' && this.#evaluateMethod(callee, args, scope, depth);
    if (target) return target.value;
    const called = this.evaluate(callee, scope, depth + 1);
    if (called instanceof DataFunction) return called.run(args, depth + 1);
    const isTyping = /^(?:define|with)[A-Z]|^Object\.freeze$/.test(name);
    return isTyping && (isObject(first) || Array.isArray(first)) ? first : new NotPlain(name, args);
  }

  /** Calls a method of a list that maps, filters or joins it. Returns undefined for other methods. */
  #evaluateMethod(
    callee: MemberExpression,
    args: DataValue[],
    scope: Scope,
    depth: number,
  ): { value: DataValue } | undefined {
    const name = callee.computed ? undefined : getKey(callee.property);
    const list = name !== undefined && methods.has(name) ? this.evaluate(callee.object, scope, depth + 1) : undefined;
    if (!Array.isArray(list)) return undefined;
    this.#count(list.length);
    if (name === 'concat') return { value: [...list, ...args.flat()] };
    const [call] = args;
    if (!(call instanceof DataFunction)) return undefined;
    const values = list.map((each, index) => call.run([each, index], depth + 1));
    if (name === 'map') return { value: values };
    if (name === 'flatMap') return { value: values.flat() };
    return { value: list.filter((_, index) => isTrue(values[index]) ?? true) };
  }

  #evaluateMember(node: MemberExpression, scope: Scope, depth: number): DataValue {
    const path = getPath(node);
    // Environment variables are treated as unset, except for NODE_ENV.
    if (/^(?:process|import\.meta)\.env\./.test(path)) return path.endsWith('.NODE_ENV') ? 'production' : undefined;
    const value = this.evaluate(node.object, scope, depth + 1);
    if (node.optional && (value === undefined || value === null)) return undefined;
    return getMember(value, node.computed ? this.evaluate(node.property, scope, depth + 1) : getKey(node.property));
  }

  #evaluateLogical(operator: string, left: DataValue, right: () => DataValue): DataValue {
    if (operator === '??') return left === undefined || left === null ? right() : left;
    const truth = isTrue(left);
    if (truth === undefined) return new NotPlain();
    return truth === (operator === '&&') ? right() : left;
  }
}

const methods = new Set(['map', 'filter', 'flatMap', 'concat']);

/** Code around a value that does not change it: parentheses, assertions of TypeScript, `await` and optional chains. */
const transparent = new Set([
  ...['ParenthesizedExpression', 'ChainExpression', 'AwaitExpression', 'TSAsExpression', 'TSSatisfiesExpression'],
  ...['TSNonNullExpression', 'TSTypeAssertion', 'TSInstantiationExpression'],
]);

const maxPath = 8;

/** Returns a name with dots, such as `require.resolve`. Empty for other code. */
function getPath(node: AnyNode, length = 1): string {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'MetaProperty') return `${node.meta.name}.${node.property.name}`;
  if (node.type !== 'MemberExpression' || node.computed || length > maxPath) return '';
  const above = getPath(node.object, length + 1);
  return above === '' ? '' : `${above}.${getKey(node.property) ?? ''}`;
}
