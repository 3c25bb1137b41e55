import { getFolder, normalizePath } from '../paths.ts';
import { ScriptCursor } from './cursor.ts';
import { type DataValue, readYaml, toPlain } from './read-data.ts';

const maxModules = 30;

/** The top-level declarations of a module, with the position of each value. */
export interface Module {
  path: string;
  text: string;
  /** The positions after `const name =`. */
  values: Map<string, number>;
  /** The positions of the parameters of functions. */
  functions: Map<string, number>;
  /** The imports: the other module, and the imported name (`default`, `*` or a name). */
  imports: Map<string, { from: string; name: string }>;
  /** The position of the default export. */
  main: number | undefined;
}

const declaration = /(?:export\s+)?(?:const|let|var)\s+([\p{L}_$][\p{L}\p{N}_$]*)/uy;
const functionOf = /(?:export\s+)?(?:async\s+)?function\s+([\p{L}_$][\p{L}\p{N}_$]*)\s*(?=\()/uy;
const mainOf = /export\s+default\s+|module\.exports\s*=(?!=)|exports\.default\s*=(?!=)|export\s*=(?!=)/y;
const importOf = /import\s+(?!type\b)([^'"`;()]{1,500}?)\s+from\s*['"]([^'"\n]{1,500})['"]/y;
const named = /([\p{L}_$][\p{L}\p{N}_$]*)(?:\s+as\s+([\p{L}_$][\p{L}\p{N}_$]*))?/gu;

/** Finds the declarations of a module in linear time. */
function readModule(path: string, text: string): Module {
  const module: Module = {
    path,
    text,
    values: new Map(),
    functions: new Map(),
    imports: new Map(),
    main: undefined,
  };
  const cursor = new ScriptCursor(text);
  let depth = 0;
  for (cursor.skipBlank(); cursor.at < text.length; cursor.skipBlank()) {
    if (depth === 0 && readStatement(module, cursor)) continue;
    const bracket = cursor.skipToken();
    if (bracket !== '') depth = Math.max(0, depth + ('([{'.includes(bracket) ? 1 : -1));
  }
  return module;
}

/** Reads a declaration up to its value. */
function readStatement(module: Module, cursor: ScriptCursor): boolean {
  if (!/[a-z]/.test(cursor.char)) return false;
  const found = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = cursor.at;
    const match = pattern.exec(module.text) ?? undefined;
    if (match) cursor.at += match[0].length;
    return match;
  };
  const main = found(mainOf);
  if (main) module.main = cursor.at;
  const value = found(declaration);
  if (value) {
    cursor.skipTo('=;');
    if (cursor.take('=')) module.values.set(value[1] ?? '', cursor.at);
  }
  const called = found(functionOf);
  if (called) module.functions.set(called[1] ?? '', cursor.at);
  const imported = found(importOf);
  if (imported) addImports(module, imported[1] ?? '', imported[2] ?? '');
  return (main ?? value ?? called ?? imported) !== undefined;
}

function addImports({ imports }: Module, clause: string, from: string): void {
  const [, whole] = /^\*\s+as\s+([\p{L}\p{N}_$]+)/u.exec(clause) ?? [];
  if (whole !== undefined) imports.set(whole, { from, name: '*' });
  const [outside = '', inside = ''] = clause.split(/[{}]/, 2);
  const [, first] = /^([\p{L}_$][\p{L}\p{N}_$]*)/u.exec(outside) ?? [];
  if (first !== undefined) imports.set(first, { from, name: 'default' });
  for (const [, name = '', as = name] of inside.matchAll(named)) imports.set(as, { from, name });
}

const required = /\brequire\(\s*['"](\.[^'"\n]{0,500})['"]\s*\)/g;
const endings = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '/index.js', '/index.ts', '/index.mts'];

/** Returns the paths that an import may mean. Empty for libraries. */
export function pathsOfModule(from: string, named: string): string[] {
  if (!/^\.\.?(?:\/|$)/.test(named)) return [];
  const path = normalizePath(`${getFolder(from)}${named}`);
  const source = path.replace(/\.([mc]?)js$/, '.$1ts');
  return [...endings.map((ending) => `${path}${ending}`), ...(source === path ? [] : [source])];
}

/** Returns the names of the imported modules. */
const namedBy = (module: Module): string[] => [
  ...[...module.imports.values()].map(({ from }) => from),
  ...[...module.text.matchAll(required)].map(([, from = '']) => from),
];

/** Returns the text of a file, or undefined if there is none or it may not be read. */
export type Load = (path: string) => Promise<string | undefined>;

/** The modules of a program by path. JSON files are data already. */
export type Loaded = Map<string, Module | { data: DataValue; length: number }>;

export async function loadModules(path: string, load: Load): Promise<Loaded> {
  const modules: Loaded = new Map();
  const queue = [[path]];
  for (const candidates of queue) {
    for (const each of candidates) {
      if (modules.has(each)) break;
      const text = modules.size < maxModules ? await load(each) : undefined;
      if (text === undefined) continue;
      if (/\.json$/i.test(each)) modules.set(each, { data: readJson(text), length: text.length });
      else {
        const module = readModule(each, text);
        modules.set(each, module);
        queue.push(...namedBy(module).map((name) => pathsOfModule(each, name)));
      }
      break;
    }
  }
  return modules;
}

/** Reads JSON with comments and trailing commas. Without comments, that is the flow style of YAML. */
function readJson(text: string): DataValue {
  try {
    return toPlain(JSON.parse(text.replace(/^\ufeff/, '')));
  } catch {
    return readYaml(text);
  }
}
