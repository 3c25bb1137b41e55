import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');

/** A top-level declaration of a file, or a member of a top-level class. */
type Unit = ts.Node;

const getFile = (node: ts.Node): string => path.relative(root, node.getSourceFile().fileName);

const isOurs = (file: string): boolean => !file.includes('node_modules') && !file.endsWith('.d.ts');

/** Returns the top-level variable, class member or statement that contains a node. */
function getUnit(node: ts.Node): Unit {
  let outer = node;
  for (let up = node.parent; up !== undefined && !ts.isSourceFile(up); up = up.parent) {
    if (ts.isVariableDeclarationList(up) && ts.isVariableStatement(up.parent) && ts.isSourceFile(up.parent.parent))
      return outer;
    if (ts.isClassDeclaration(up)) return outer;
    outer = up;
  }
  return outer;
}

/** Returns the declaration of a value that a reader has to open to understand the name. Ignores types. */
function valueNamedBy(node: ts.Identifier, checker: ts.TypeChecker): ts.Declaration | undefined {
  const short = ts.isShorthandPropertyAssignment(node.parent) && node.parent.name === node;
  let symbol = short ? checker.getShorthandAssignmentValueSymbol(node.parent) : checker.getSymbolAtLocation(node);
  if (symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0) symbol = checker.getAliasedSymbol(symbol);
  const found = symbol?.valueDeclaration;
  if (found === undefined || !isOurs(found.getSourceFile().fileName)) return undefined;
  const isPart = [
    ts.isParameter,
    ts.isPropertySignature,
    ts.isMethodSignature,
    ts.isPropertyAssignment,
    ts.isSourceFile,
  ];
  return isPart.some((test) => test(found)) ? undefined : found;
}

const isOfTypesOnly = (node: ts.Node): boolean =>
  ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);

function unitsNamedIn(unit: Unit, checker: ts.TypeChecker): Set<Unit> {
  const found = new Set<Unit>();
  const visit = (node: ts.Node): void => {
    if (isOfTypesOnly(node)) return;
    const value = ts.isIdentifier(node) ? valueNamedBy(node, checker) : undefined;
    if (value !== undefined) found.add(getUnit(value));
    ts.forEachChild(node, visit);
  };
  // A reference to a class includes the class's fields. Methods are followed where they are called.
  const parts = ts.isClassDeclaration(unit) ? unit.members.filter((part) => !ts.isMethodDeclaration(part)) : [unit];
  for (const part of parts) visit(part);
  found.delete(unit);
  return found;
}

function* namedUnits(source: ts.SourceFile): Generator<[string, Unit]> {
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement)) yield [statement.name?.text ?? '', statement];
    if (ts.isVariableStatement(statement))
      for (const declaration of statement.declarationList.declarations) yield [declaration.name.getText(), declaration];
    if (ts.isClassDeclaration(statement))
      for (const member of statement.members)
        if (member.name !== undefined) yield [`${statement.name?.text}.${member.name.getText()}`, member];
  }
}

function readProgram(): ts.Program {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(path.join(root, 'tsconfig.worker.json'), {}, host);
  if (config === undefined) throw new Error('tsconfig.worker.json cannot be read.');
  const { incremental, tsBuildInfoFile, ...options } = config.options;
  return ts.createProgram(config.fileNames, options);
}

/** Packages without access to requests or the database. Their functions map text to text. */
const pure =
  /^packages\/(?:archive|embeds|expression|highlight|markdown|merge|outline|reader|specification|typeset|website)\//;

export interface ReadingPath {
  /** Files to open to follow an operation from HTTP to SQL and back. Calls into pure packages are not followed. */
  files: string[];
  /** Every file that the operation can execute, including pure packages. */
  all: string[];
}

/**
 * Returns a function that follows calls and values through the workers and packages, starting at named functions
 * (`name` or `Class.method`). Functions that are only called dynamically must be listed as starts. Contract files are
 * not counted.
 */
export function readingPaths(): (names: readonly string[]) => ReadingPath {
  const program = readProgram();
  const checker = program.getTypeChecker();
  const byName = Map.groupBy(
    program
      .getSourceFiles()
      .filter(({ fileName }) => isOurs(fileName))
      .flatMap((source) => [...namedUnits(source)]),
    ([name]) => name,
  );
  const links = new Map<Unit, Set<Unit>>();
  const readLinks = (unit: Unit) => {
    const known = links.get(unit) ?? unitsNamedIn(unit, checker);
    links.set(unit, known);
    return known;
  };
  const filesFrom = (start: readonly Unit[], isEnd: (file: string) => boolean): string[] => {
    const met = new Set<Unit>(start);
    for (const unit of met) if (!isEnd(getFile(unit))) for (const next of readLinks(unit)) met.add(next);
    return [...new Set([...met].map(getFile))].filter((file) => !file.startsWith('packages/schema/')).sort();
  };
  return (names) => {
    const start = names.map((name) => {
      const [only, ...others] = byName.get(name) ?? [];
      if (only === undefined || others.length > 0) throw new Error(`${name} is not the name of one declaration.`);
      return only[1];
    });
    return { files: filesFrom(start, (file) => pure.test(file)), all: filesFrom(start, () => false) };
  };
}
