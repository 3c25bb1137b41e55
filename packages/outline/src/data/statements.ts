import type { AnyNode } from 'acorn';
import { isTrue } from './operators.ts';
import type { DataValue } from './read-data.ts';
import type { Evaluator, Scope } from './scope.ts';

/**
 * Runs declarations, conditions and `return`. Returns the returned value, if any. Other statements are recorded as
 * skipped.
 */
export function runStatements(
  nodes: readonly AnyNode[],
  scope: Scope,
  { evaluator, depth }: { evaluator: Evaluator; depth: number },
): { value: DataValue } | undefined {
  const evaluate = (node: AnyNode, own: Scope, at: number) => evaluator.evaluate(node, own, at + 1);
  const skip = (node: AnyNode) => {
    evaluator.skip(node, scope, 'a statement');
  };
  for (const node of nodes) declare(node, scope, evaluate);
  for (const node of nodes) {
    if (node.type === 'ReturnStatement')
      return { value: node.argument ? evaluate(node.argument, scope, depth) : undefined };
    if (node.type === 'IfStatement') {
      const truth = isTrue(evaluate(node.test, scope, depth));
      if (truth === undefined) skip(node);
      const branch = truth === undefined ? undefined : truth ? node.consequent : node.alternate;
      const returned = branch ? runStatements([branch], scope, { evaluator, depth: depth + 1 }) : undefined;
      if (returned) return returned;
    } else if (node.type === 'BlockStatement') {
      const returned = runStatements(node.body, scope, { evaluator, depth: depth + 1 });
      if (returned) return returned;
    } else if (hasEffect(node)) skip(node);
  }
  return undefined;
}

function declare(node: AnyNode, scope: Scope, evaluate: Parameters<Scope['bind']>[2]): void {
  if (node.type === 'FunctionDeclaration' && node.id)
    scope.declare(node.id.name, (depth) => evaluate(node, scope, depth));
  if (node.type !== 'VariableDeclaration') return;
  for (const { id, init } of node.declarations)
    scope.bind(id, (depth) => (init ? evaluate(init, scope, depth) : undefined), evaluate);
}

/** Whether a statement can change values: not a declaration, a type or a directive such as `'use strict'`. */
const hasEffect = (node: AnyNode): boolean =>
  (node.type === 'ExpressionStatement' && node.expression.type !== 'Literal') ||
  /^(?:For|While|DoWhile|Switch|Try)/.test(node.type);
