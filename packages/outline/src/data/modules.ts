import { tsPlugin } from '@sveltejs/acorn-typescript';
import { type AnyNode, type Node, Parser, type Program } from 'acorn';
import { getFolder, normalizePath } from '../paths.ts';
import { type DataValue, readYaml, toPlainData } from './read-data.ts';

const maxModules = 30;
/**
 * Maximum number of tokens. Repeated reads count too: the parser reads some tokens several times to distinguish types
 * and arrow functions from other code.
 */
const maxTokens = 400_000;

const TypeScriptParser = Parser.extend(tsPlugin());

class ScriptSizeError extends Error {}

/** A module and the names of the modules that it imports. */
export interface Module {
  path: string;
  program: Program;
  imports: string[];
  /** Returns the line of a node. */
  lineOf: (node: Node) => number;
}

/** Parses JavaScript or TypeScript. @throws Error if the text has a syntax error, which the message locates. */
function parseModule(path: string, text: string): Module {
  const imports: string[] = [];
  let tokens = 0;
  const program = TypeScriptParser.parse(text, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    allowReturnOutsideFunction: true,
    allowHashBang: true,
    locations: true,
    onToken: () => {
      tokens += 1;
      if (tokens > maxTokens) throw new ScriptSizeError('it has too much code');
    },
  });
  for (const node of program.body) imports.push(...getImports(node));
  imports.push(...[...text.matchAll(required)].map(([, from = '']) => from));
  return { path, program, imports, lineOf: ({ loc }) => loc?.start.line ?? 1 };
}

function getImports(node: AnyNode): string[] {
  if ('importKind' in node && node.importKind === 'type') return [];
  const isImport =
    node.type === 'ImportDeclaration' || node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration';
  return isImport && typeof node.source?.value === 'string' ? [node.source.value] : [];
}

const required = /\brequire\(\s{0,20}['"](\.[^'"\n]{0,500})['"]\s{0,20}\)/g;
const endings = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '/index.js', '/index.ts', '/index.mts'];

/** Returns the paths that an import may refer to. Empty for libraries. */
export function getModulePaths(from: string, specifier: string): string[] {
  if (!/^\.\.?(?:\/|$)/.test(specifier)) return [];
  const path = normalizePath(`${getFolder(from)}${specifier}`);
  const source = path.replace(/\.([mc]?)js$/, '.$1ts');
  return [...endings.map((ending) => `${path}${ending}`), ...(source === path ? [] : [source])];
}

/** Returns the text of a file, or undefined if there is none or it may not be read. */
export type Load = (path: string) => Promise<string | undefined>;

/**
 * The modules of a program by path. A JSON file is stored as its data, and a file that cannot be read as its error
 * message.
 */
export type Loaded = Map<string, Module | { data: DataValue } | { error: string }>;

/** Loads a module and those that it imports from the same source. @throws Error if the module cannot be read. */
export async function loadModules(path: string, load: Load): Promise<Loaded> {
  const modules: Loaded = new Map();
  const queue = [[path]];
  for (const candidates of queue) {
    for (const each of candidates) {
      if (modules.has(each)) break;
      const text = modules.size < maxModules ? await load(each) : undefined;
      if (text === undefined) continue;
      const module = readModule(each, text);
      modules.set(each, module);
      if ('imports' in module) queue.push(...module.imports.map((name) => getModulePaths(each, name)));
      break;
    }
  }
  const main = modules.get(path);
  if (main && 'error' in main) throw new Error(main.error);
  return modules;
}

function readModule(path: string, text: string): Module | { data: DataValue } | { error: string } {
  try {
    return /\.json$/i.test(path) ? { data: readJson(text) } : parseModule(path, text.replace(/^\ufeff/, ''));
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Reads JSON with comments and trailing commas. Apart from the comments, this is the flow style of YAML. */
function readJson(text: string): DataValue {
  try {
    return toPlainData(JSON.parse(text.replace(/^\ufeff/, '')));
  } catch {
    return readYaml(text);
  }
}
