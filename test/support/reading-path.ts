import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');

/** A top-level declaration of a file, or a member of a top-level class. */
type Unit = ts.Node;

const getFile = (node: ts.Node): string => path.relative(root, node.getSourceFile().fileName);

const isOurs = (file: string): boolean => !/node_modules|\/test\/|\.(?:d|test)\.tsx?$/.test(file);

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
function findValueDeclaration(node: ts.Identifier, checker: ts.TypeChecker): ts.Declaration | undefined {
  const short = ts.isShorthandPropertyAssignment(node.parent) && node.parent.name === node;
  let symbol = short ? checker.getShorthandAssignmentValueSymbol(node.parent) : checker.getSymbolAtLocation(node);
  if (symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0) symbol = checker.getAliasedSymbol(symbol);
  const declaration = symbol?.valueDeclaration;
  if (declaration === undefined || !isOurs(declaration.getSourceFile().fileName)) return undefined;
  const isPart = [
    ts.isParameter,
    ts.isPropertySignature,
    ts.isMethodSignature,
    ts.isPropertyAssignment,
    ts.isSourceFile,
  ];
  return isPart.some((test) => test(declaration)) ? undefined : declaration;
}

const isOfTypesOnly = (node: ts.Node): boolean =>
  ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);

function findNamedUnits(unit: Unit, checker: ts.TypeChecker): Set<Unit> {
  const units = new Set<Unit>();
  const visit = (node: ts.Node): void => {
    if (isOfTypesOnly(node)) return;
    const value = ts.isIdentifier(node) ? findValueDeclaration(node, checker) : undefined;
    if (value !== undefined) units.add(getUnit(value));
    ts.forEachChild(node, visit);
  };
  // A reference to a class includes the class's fields. Methods are followed where they are called.
  const parts = ts.isClassDeclaration(unit) ? unit.members.filter((part) => !ts.isMethodDeclaration(part)) : [unit];
  for (const part of parts) visit(part);
  units.delete(unit);
  return units;
}

function* listNamedUnits(source: ts.SourceFile): Generator<[string, Unit]> {
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

/**
 * Packages without access to requests or the database, and files of the same kind in other packages. Their functions
 * map values to values, so a reader of an operation needs only their names and comments.
 */
const libraries = [
  /^packages\/(?:archive|embeds|expression|highlight|markdown|merge|outline|reader|specification|typeset|website)\//,
  /^packages\/db\/src\/(?:dialect|positions|selection|split-into-json)\.ts$/,
  /^packages\/runtime\/src\/(?:lru-map|official-fields|present|request-counts|secrets|site-url|slices|strict-json|windows)\.ts$/,
  /^workers\/content\/src\/engine\/store\/nodes\.ts$/,
];
/**
 * Declarations: the contract, the tables and the rows that several workers read from them, and the function that gives
 * the operations of a worker their types.
 */
const declarations = [
  /^packages\/schema\//,
  /^packages\/db\/src\/tables\//,
  /^packages\/db\/src\/statements\/(?:records|sites)\.ts$/,
  /^workers\/[\w-]+\/src\/handler\.ts$/,
];

const isOneOf = (patterns: RegExp[], file: string): boolean => patterns.some((pattern) => pattern.test(file));

interface ReadingPath {
  /**
   * Files to open to follow an operation from HTTP to SQL and back, except libraries and declarations. Functions that
   * the request does not call are not followed.
   */
  files: string[];
  /** Every file that the functions can reach, except the contract. */
  all: string[];
  /** The names of the functions in `without` that the operation can reach. */
  skipped: string[];
}

interface ReadingPathFinder {
  /**
   * Follows calls and values through the workers and packages, starting at named functions (`name` or `Class.method`).
   * Functions that are only called dynamically or by RPC must be listed as starts. `without` names functions that the
   * described request does not call.
   */
  follow(names: readonly string[], without: readonly string[]): ReadingPath;
  /** Returns the files that libraries reach, except other libraries and declarations. */
  findFilesBehindLibraries(): string[];
}

/** Reads the program of the workers, and returns functions that follow its calls. */
export function createReadingPathFinder(): ReadingPathFinder {
  const program = readProgram();
  const checker = program.getTypeChecker();
  const units = program
    .getSourceFiles()
    .filter(({ fileName }) => isOurs(fileName))
    .flatMap((source) => [...listNamedUnits(source)]);
  const byName = Map.groupBy(units, ([name]) => name);
  const links = new Map<Unit, Set<Unit>>();
  const readLinks = (unit: Unit) => {
    const known = links.get(unit) ?? findNamedUnits(unit, checker);
    links.set(unit, known);
    return known;
  };
  const collectUnits = (start: readonly Unit[], isFollowed = (_: Unit) => true): Set<Unit> => {
    const met = new Set<Unit>(start);
    for (const unit of met) for (const next of readLinks(unit)) if (isFollowed(next)) met.add(next);
    return met;
  };
  const toFiles = (found: Iterable<Unit>): string[] => [...new Set([...found].map(getFile))].sort();
  const isOpened = (file: string) => !isOneOf([...libraries, ...declarations], file);
  const findAll = (name: string): Unit[] => (byName.get(name) ?? []).map(([, unit]) => unit);
  const find = (name: string): Unit => {
    const [only, ...others] = findAll(name);
    if (only === undefined || others.length > 0) throw new Error(`${name} is not the name of one declaration.`);
    return only;
  };
  return {
    follow: (names, without) => {
      const start = names.map(find);
      const left = new Set(without.flatMap(findAll));
      const reached = collectUnits(start);
      return {
        files: toFiles(collectUnits(start, (unit) => isOpened(getFile(unit)) && !left.has(unit))),
        all: toFiles(reached).filter((file) => !file.startsWith('packages/schema/')),
        skipped: without.filter((name) => findAll(name).some((unit) => reached.has(unit))),
      };
    },
    findFilesBehindLibraries: () => {
      const ofLibraries = units.map(([, unit]) => unit).filter((unit) => isOneOf(libraries, getFile(unit)));
      return toFiles(collectUnits(ofLibraries)).filter(isOpened);
    },
  };
}
