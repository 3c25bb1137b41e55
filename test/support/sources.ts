import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');
const skipped = new Set(['node_modules', 'build', 'dist', '.octavo']);

export interface Import {
  from: string;
  /** Whether the import is removed when types are stripped. */
  typeOnly: boolean;
  names: string[];
}

export interface Source {
  /** The path relative to the workspace root. */
  path: string;
  text: string;
  tree: ts.SourceFile;
  imports: Import[];
}

/** Returns the files and folders below a folder, relative to the workspace root. */
export function listPaths(folder: string): { file: string[]; folder: string[] } {
  const paths = { file: [] as string[], folder: [] as string[] };
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    if (skipped.has(entry.name)) continue;
    const inside = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) paths.file.push(inside);
    else {
      const deeper = listPaths(inside);
      paths.folder.push(inside, ...deeper.folder);
      paths.file.push(...deeper.file);
    }
  }
  return paths;
}

function getImport(node: ts.Node): Import[] {
  if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return [];
  if (node.moduleSpecifier === undefined || !ts.isStringLiteral(node.moduleSpecifier)) return [];
  const from = node.moduleSpecifier.text;
  if (ts.isExportDeclaration(node)) return [{ from, typeOnly: node.isTypeOnly, names: [] }];
  const bindings = node.importClause?.namedBindings;
  const elements = bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : [];
  const onlyTypes = elements.length > 0 && elements.every(({ isTypeOnly }) => isTypeOnly);
  const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword || onlyTypes;
  return [{ from, typeOnly, names: elements.map(({ name, propertyName }) => (propertyName ?? name).text) }];
}

const parsed = new Map<string, Source>();

function read(file: string): Source {
  const known = parsed.get(file) ?? new SourceOfFile(file);
  parsed.set(file, known);
  return known;
}

/** Parses the file only when its tree is first used, because most rules need only the text of most files. */
class SourceOfFile implements Source {
  readonly path: string;
  readonly text: string;
  #tree: ts.SourceFile | undefined;
  #imports: Import[] | undefined;

  constructor(file: string) {
    this.path = file;
    this.text = readFileSync(path.join(root, file), 'utf8');
  }

  get tree(): ts.SourceFile {
    this.#tree ??= ts.createSourceFile(this.path, this.text, ts.ScriptTarget.Latest, true);
    return this.#tree;
  }

  get imports(): Import[] {
    this.#imports ??= this.tree.statements.flatMap(getImport);
    return this.#imports;
  }
}

/** Returns the TypeScript files below these folders. */
export const getSources = (...folders: string[]): Source[] =>
  folders.flatMap((folder) =>
    listPaths(folder)
      .file.filter((file) => /\.tsx?$/.test(file))
      .map(read),
  );

/** Resolves a relative import to a path from the workspace root. */
export const findTarget = (source: Source, { from }: Import): string =>
  path.posix.normalize(path.posix.join(path.posix.dirname(source.path), from));

/** Yields all nodes of a file, except tokens, in pre-order. */
export function* getNodes(node: ts.Node): Generator<ts.Node> {
  const waiting = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    const children: ts.Node[] = [];
    ts.forEachChild(next, (child) => {
      children.push(child);
    });
    waiting.push(...children.reverse());
  }
}

/** Returns the names that the file itself declares and exports. */
export function getExports({ tree }: Source): string[] {
  return tree.statements.flatMap((statement) => {
    const exported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!exported) return [];
    if (ts.isFunctionDeclaration(statement)) return [statement.name?.text ?? ''];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  });
}
