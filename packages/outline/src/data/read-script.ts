import { ScriptCursor } from './cursor.ts';
import { type Load, type Loaded, loadModules, type Module, pathsOfModule } from './modules.ts';
import { type DataObject, type DataValue, isObject, NotPlain } from './read-data.ts';

const maxDepth = 60;
const maxValues = 100_000;
/** The maximum length of text that is read to resolve names. A name counts each time it is used. */
const maxLength = 1024 * 1024;

/**
 * Reads the default export of a script or JSON file as data, without executing it: literals, names of such values (also
 * from other files of the source), and the return values of functions without parameters. Anything else is `NotPlain`.
 * @throws Error if there is no default export, more than 100,000 values, or names that resolve to more than 1 MiB of
 * text.
 */
export async function readScript(path: string, load: Load): Promise<DataValue> {
  const modules = await loadModules(path, load);
  const evaluation = new Evaluation(modules);
  return evaluation.exportOf(path, 'default', 0);
}

class Evaluation {
  readonly #modules: Loaded;
  #values = 0;
  #length = 0;

  constructor(modules: Loaded) {
    this.#modules = modules;
  }

  exportOf(path: string, name: string, depth: number): DataValue {
    const module = this.#modules.get(path);
    if (module === undefined) return new NotPlain();
    if ('data' in module) {
      this.#count(module.length);
      return name === 'default' || name === '*' ? module.data : new NotPlain();
    }
    if (name !== 'default') return this.#named(module, name, depth);
    if (module.main === undefined) throw new Error('it has no readable export');
    return this.#read({ module, cursor: new ScriptCursor(module.text, module.main) }, depth);
  }

  #count(length: number): void {
    this.#length += length;
    if (this.#length > maxLength) throw new Error(`its values expand to more than ${maxLength} characters`);
  }

  #elsewhere(module: Module, place: number, read: (at: ScriptPosition) => DataValue): DataValue {
    const cursor = new ScriptCursor(module.text, place);
    const value = read({ module, cursor });
    this.#count(cursor.at - place);
    return value;
  }

  #named(module: Module, name: string, depth: number): DataValue {
    const place = module.values.get(name);
    if (place !== undefined) return this.#elsewhere(module, place, (at) => this.#read(at, depth + 1));
    const imported = module.imports.get(name);
    return imported ? this.#imported(module, imported, depth) : new NotPlain();
  }

  #imported(module: Module, { from, name }: { from: string; name: string }, depth: number): DataValue {
    const path = pathsOfModule(module.path, from).find((each) => this.#modules.has(each));
    return path === undefined ? new NotPlain() : this.exportOf(path, name === '*' ? 'default' : name, depth + 1);
  }

  /** Reads an expression up to the next comma, bracket or semicolon. */
  #read(at: ScriptPosition, depth: number): DataValue {
    this.#values += 1;
    if (this.#values > maxValues) throw new Error(`it has more than ${maxValues} values`);
    const { cursor } = at;
    cursor.skipBlank();
    if (depth > maxDepth) {
      cursor.skipTo(',;');
      return new NotPlain();
    }
    const value = this.#first(at, depth);
    return this.#rest(value, at, depth);
  }

  #first(at: ScriptPosition, depth: number): DataValue {
    const { cursor } = at;
    const { char } = cursor;
    if (char === '[') return this.#array(at, depth);
    if (char === '{') return this.#object(at, depth);
    if (char === '(') return this.#parenthesized(at, depth);
    if (char === '"' || char === "'" || char === '`') return cursor.string() ?? new NotPlain();
    if (/[-\d.]/.test(char)) return cursor.number() ?? new NotPlain();
    const name = cursor.identifier();
    return name === undefined ? new NotPlain() : this.#word(name, at, depth);
  }

  /**
   * Reads what follows a value: TypeScript type assertions are ignored, strings are concatenated, other operators make
   * the value not plain.
   */
  #rest(value: DataValue, at: ScriptPosition, depth: number): DataValue {
    const { cursor } = at;
    cursor.skipBlank();
    if (cursor.char === '' || ',;)]}'.includes(cursor.char)) return value;
    if (cursor.match(/(?:as|satisfies)\b/y) !== undefined) {
      cursor.skipTo(',;');
      return value;
    }
    if (cursor.char === '+' && typeof value === 'string') {
      cursor.take('+');
      const next = this.#read(at, depth + 1);
      return typeof next === 'string' ? value + next : new NotPlain();
    }
    if (!/[.([?=&|<>!*/%^+-]/.test(cursor.char)) return value;
    cursor.skipTo(',;');
    return new NotPlain();
  }

  #array(at: ScriptPosition, depth: number): DataValue[] {
    const found: DataValue[] = [];
    at.cursor.take('[');
    while (!at.cursor.take(']') && at.cursor.at < at.cursor.text.length) {
      if (at.cursor.take(',')) continue;
      const isSpread = at.cursor.take('...');
      const value = this.#read(at, depth + 1);
      if (isSpread && Array.isArray(value)) found.push(...value);
      else found.push(value);
      if (!at.cursor.take(',') && at.cursor.char !== ']') return found;
    }
    return found;
  }

  #object(at: ScriptPosition, depth: number): DataObject {
    const { cursor } = at;
    const found: DataObject = Object.create(null);
    cursor.take('{');
    while (!cursor.take('}') && cursor.at < cursor.text.length) {
      if (cursor.take(',')) continue;
      if (cursor.take('...')) {
        const value = this.#read(at, depth + 1);
        if (isObject(value)) Object.assign(found, value);
        else found['...'] = value;
      } else this.#property(found, at, depth);
      if (!cursor.take(',') && cursor.char !== '}') return found;
    }
    return found;
  }

  #property(found: DataObject, at: ScriptPosition, depth: number): void {
    const { cursor } = at;
    const isQuoted = cursor.char === '"' || cursor.char === "'";
    const key = isQuoted ? cursor.string() : (cursor.identifier() ?? cursor.number()?.toString());
    if (key !== undefined && cursor.take(':')) found[key] = this.#read(at, depth + 1);
    else {
      const isShort = key !== undefined && (cursor.char === ',' || cursor.char === '}');
      if (key !== undefined) found[key] = isShort ? this.#word(key, at, depth) : new NotPlain();
      cursor.skipTo(',');
    }
  }

  #parenthesized(at: ScriptPosition, depth: number): DataValue {
    const { cursor } = at;
    cursor.take('(');
    const isEmpty = cursor.take(')');
    const value = isEmpty ? undefined : this.#read(at, depth + 1);
    if (!isEmpty) {
      cursor.skipTo('');
      cursor.take(')');
    }
    if (!cursor.take('=>')) return value;
    if (isEmpty) return this.#returned(at, depth);
    cursor.skipTo(',;');
    return new NotPlain();
  }

  #word(name: string, at: ScriptPosition, depth: number): DataValue {
    const { cursor, module } = at;
    if (name === 'true' || name === 'false') return name === 'true';
    if (name === 'null') return null;
    if (name === 'undefined') return undefined;
    if (name === 'async' || name === 'await') return this.#first(this.#blankless(at), depth);
    if (name === 'function') {
      cursor.identifier();
      return this.#called(at, depth);
    }
    let path = name;
    while (cursor.match(/\??\.(?=[\p{L}_$])/uy) !== undefined) path += `.${cursor.identifier() ?? ''}`;
    cursor.skipBlank();
    if (cursor.char === '(') return this.#call(path, at, depth);
    return path === name ? this.#named(module, name, depth) : new NotPlain();
  }

  #blankless(at: ScriptPosition): ScriptPosition {
    at.cursor.skipBlank();
    return at;
  }

  /** Reads a call: of a function in the same file its return value, of `require` the export of the module. */
  #call(name: string, at: ScriptPosition, depth: number): DataValue {
    const args: DataValue[] = [];
    at.cursor.take('(');
    while (!at.cursor.take(')') && at.cursor.at < at.cursor.text.length) {
      args.push(this.#read(at, depth + 1));
      if (!at.cursor.take(',') && at.cursor.char !== ')') at.cursor.skipTo('');
    }
    const place = at.module.functions.get(name);
    if (place !== undefined && args.length === 0)
      return this.#elsewhere(at.module, place, (from) => this.#called(from, depth + 1));
    const [from] = args;
    if (name === 'require' && typeof from === 'string')
      return this.#imported(at.module, { from, name: 'default' }, depth);
    return new NotPlain(name, args);
  }

  /**
   * Returns the return value of the function whose parameters are at the cursor. Functions with parameters are not
   * plain.
   */
  #called(at: ScriptPosition, depth: number): DataValue {
    const { cursor } = at;
    if (!cursor.take('(') || !cursor.take(')')) {
      cursor.skipTo(',;');
      return new NotPlain();
    }
    cursor.skipTo('{');
    return this.#returned(at, depth);
  }

  #returned(at: ScriptPosition, depth: number): DataValue {
    const { cursor } = at;
    if (!cursor.take('{')) return this.#read(at, depth + 1);
    let value: DataValue = new NotPlain();
    for (let open = 1; open > 0 && cursor.at < cursor.text.length; ) {
      cursor.skipBlank();
      if (open === 1 && cursor.match(/return\b/y) !== undefined) value = this.#read(at, depth + 1);
      const bracket = cursor.skipToken();
      if (bracket !== '') open += '([{'.includes(bracket) ? 1 : -1;
    }
    return value;
  }
}

/** A position in a module. */
interface ScriptPosition {
  module: Module;
  cursor: ScriptCursor;
}
