import type { AnyNode, ExportNamedDeclaration, ImportDeclaration, MemberExpression } from 'acorn';
import type { Module } from './modules.ts';
import { type Evaluator, getKey, type Read, Scope } from './scope.ts';
import { runStatements } from './statements.ts';

/** The top-level names of a module and its exports. */
export interface ModuleNames {
  scope: Scope;
  exports: Map<string, Read>;
  /** The modules whose exports are all re-exported. */
  all: string[];
}

/** Returns the names of a module. Evaluates nothing. */
export function getNames(module: Module, evaluator: Evaluator): ModuleNames {
  const names: ModuleNames = { scope: new Scope(module), exports: new Map(), all: [] };
  const rest = module.program.body.filter((node) => !addExport(node, names, evaluator));
  runStatements(rest, names.scope, { evaluator, depth: 0 });
  return names;
}

/** Adds the names of an import or export. Returns false for other statements. */
function addExport(node: AnyNode, names: ModuleNames, evaluator: Evaluator): boolean {
  const { scope, exports } = names;
  const assigned = getExportedValue(node);
  const createRead =
    (inner: AnyNode): Read =>
    (depth) =>
      evaluator.evaluate(inner, scope, depth + 1);
  if (node.type === 'ImportDeclaration') addImports(node, scope, evaluator);
  else if (node.type === 'ExportNamedDeclaration') addNamedExports(node, names, evaluator);
  else if (node.type === 'ExportAllDeclaration') names.all.push(String(node.source.value));
  else if (node.type === 'ExportDefaultDeclaration') {
    const { declaration } = node;
    if (declaration.type === 'FunctionDeclaration' && declaration.id)
      runStatements([declaration], scope, { evaluator, depth: 0 });
    exports.set('default', createRead(declaration));
  } else if (assigned) exports.set('default', createRead(assigned));
  else if (node.type !== 'ExpressionStatement' || node.expression.type !== 'AssignmentExpression') return false;
  else {
    const { left, right } = node.expression;
    const name = left.type === 'MemberExpression' ? getExportName(left) : undefined;
    if (name === undefined) return false;
    exports.set(name, createRead(right));
  }
  return true;
}

/** Returns the value of TypeScript's `export = value`. */
const getExportedValue = (node: AnyNode): AnyNode | undefined => {
  const { type }: { type: string } = node;
  return type === 'TSExportAssignment' && 'expression' in node && typeof node.expression === 'object'
    ? node.expression
    : undefined;
};

/** Returns the export that `module.exports`, `module.exports.name` or `exports.name` sets. */
function getExportName({ object, property, computed }: MemberExpression): string | undefined {
  const key = computed ? undefined : getKey(property);
  if (object.type === 'Identifier') {
    if (object.name === 'module' && key === 'exports') return 'default';
    return object.name === 'exports' ? key : undefined;
  }
  return object.type === 'MemberExpression' && getExportName(object) === 'default' ? key : undefined;
}

function addImports({ specifiers, source }: ImportDeclaration, scope: Scope, evaluator: Evaluator): void {
  for (const each of specifiers) {
    const name =
      each.type === 'ImportSpecifier'
        ? getKey(each.imported)
        : each.type === 'ImportDefaultSpecifier'
          ? 'default'
          : '*';
    scope.declare(each.local.name, (depth) =>
      evaluator.evaluateImport(scope.module, String(source.value), name ?? 'default', depth + 1),
    );
  }
}

function addNamedExports(node: ExportNamedDeclaration, { scope, exports }: ModuleNames, evaluator: Evaluator): void {
  const { declaration, specifiers, source } = node;
  const evaluateName =
    (name: string): Read =>
    (depth) =>
      evaluator.evaluate({ ...identifier, name }, scope, depth);
  if (declaration) {
    runStatements([declaration], scope, { evaluator, depth: 0 });
    for (const name of getDeclaredNames(declaration)) exports.set(name, evaluateName(name));
  }
  for (const { exported, local } of specifiers) {
    const [as = '', name = ''] = [getKey(exported), getKey(local)];
    exports.set(
      as,
      source
        ? (depth) => evaluator.evaluateImport(scope.module, String(source.value), name, depth + 1)
        : evaluateName(name),
    );
  }
}

const identifier = { type: 'Identifier' as const, start: 0, end: 0 };

const getDeclaredNames = (node: AnyNode): string[] => {
  if (node.type === 'FunctionDeclaration') return node.id ? [node.id.name] : [];
  if (node.type !== 'VariableDeclaration') return [];
  return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
};
