import type { EvaluationScope } from '@octavo/expression';
import { evaluate } from '@octavo/expression';
import type { Block } from '../tree/document-tree.ts';
import { isBlock, textAt } from '../tree/document-tree.ts';
import { parseTree } from '../tree/parse-tree.ts';
import { referencesIn } from '../tree/references.ts';
import { hasUnread, mayBeConditional } from '../tree/strict-tree.ts';
import { linksOf } from './links-of.ts';

/**
 * When a target stands in a document: one of the lists must hold, and of it every condition that begins with `+`, and
 * none that begins with `-`. Without any list it is never known to.
 */
export type LinkConditions = string[][];

const never: LinkConditions = [];
const maxCharacters = 4096;

/** The targets of a document that stand there under conditions alone, with these. */
export function conditionalLinks(markdown: string): Map<string, LinkConditions> {
  if (!mayBeConditional(markdown)) return new Map();
  const { nodes } = parseTree(markdown);
  const found = new Map(linksOf(markdown).map(({ target }) => [target, never]));
  const isRaw = ({ type, data }: Block) => type === 'markdown' && mayBeConditional(textAt(data, 'markdown') ?? '');
  if (nodes.some(isRaw) || hasUnread(withoutConditions(nodes))) return found;
  const free = new Set<string>();
  collect(nodes, [], (target, conditions) => {
    if (conditions.length === 0) free.add(target);
    else found.set(target, [...(found.get(target) ?? never), conditions]);
  });
  for (const target of free) found.delete(target);
  for (const [target, lists] of found) if (JSON.stringify(lists).length > maxCharacters) found.set(target, never);
  return found;
}

/** All that is under conditions in place of the blocks that hold them. */
const withoutConditions = (nodes: Block['nodes']): Block['nodes'] =>
  nodes.flatMap((node): Block['nodes'] => {
    if (!isBlock(node)) return [node];
    const inside = withoutConditions(node.nodes);
    return node.type.startsWith('conditional') ? inside : [{ ...node, nodes: inside }];
  });

type Put = (target: string, conditions: string[]) => void;

function collect(nodes: Block['nodes'], conditions: string[], put: Put): void {
  for (const node of nodes) {
    if (isBlock(node) && node.type === 'conditional') collectBranches(node, conditions, put);
    else if (node.object !== 'text') {
      for (const { url } of referencesIn([{ ...node, nodes: [] } as Block])) put(url, conditions);
      collect(node.nodes, conditions, put);
    }
  }
}

function collectBranches(node: Block, conditions: string[], put: Put): void {
  const before: string[] = [];
  for (const branch of node.nodes.filter(isBlock)) {
    const condition = textAt(branch.data, 'condition');
    collect(branch.nodes, [...conditions, ...before, ...(condition === undefined ? [] : [`+${condition}`])], put);
    if (condition !== undefined) before.push(`-${condition}`);
  }
}

/** Whether what stands under conditions is shown in a scope. */
export const holdIn = (conditions: LinkConditions, scope: EvaluationScope): boolean =>
  conditions.some((all) => all.every((each) => holds(each.slice(1), scope) === each.startsWith('+')));

const holds = (condition: string, scope: EvaluationScope): boolean => Boolean(evaluate(condition, scope).value);
