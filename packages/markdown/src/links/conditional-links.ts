import type { EvaluationScope } from '@octavo/expression';
import { evaluate } from '@octavo/expression';
import { isConditional, mayBeConditional } from '../tree/conditions.ts';
import type { Block, Inline } from '../tree/document-tree.ts';
import { getTextAt, isBlock } from '../tree/document-tree.ts';
import { hasMalformedConditions } from '../tree/evaluate-tree.ts';
import { parseTree } from '../tree/parse-tree.ts';
import { findReferences } from '../tree/references.ts';
import { isSpecSlug } from '../tree/tags.ts';
import { getLinks } from './find-links.ts';

/**
 * The conditions under which a target is visible in a document. At least one of the lists must hold. In each list,
 * conditions with `+` must be met and conditions with `-` must not be met. A target without lists is never known to be
 * visible.
 */
export type LinkConditions = string[][];

const never: LinkConditions = [];
const maxCharacters = 4096;

/** Returns the targets that a document shows only under conditions, with these conditions. */
export function findConditionalLinks(markdown: string): Map<string, LinkConditions> {
  if (!isConditional(markdown)) return new Map();
  const getTargets = (node: Block | Inline) =>
    [...findReferences([{ ...node, nodes: [] } as Block])].map(({ url }) => url);
  const all = getLinks(markdown).map(({ target }) => target);
  const conditionsByTarget = findConditions(markdown, getTargets, all);
  return new Map(
    [...conditionsByTarget].flatMap(([target, conditions]) => (conditions === undefined ? [] : [[target, conditions]])),
  );
}

/**
 * Returns the targets that a document names only under conditions, with these conditions. The value is undefined for
 * targets that it also names without conditions. Targets in `all` that the document does not name are never visible.
 */
function findConditions(
  markdown: string,
  getNames: (node: Block | Inline) => string[],
  all: string[] = [],
): Map<string, LinkConditions | undefined> {
  const { nodes } = parseTree(markdown, { sources: 'none', hasKeys: false });
  const conditionsByName = new Map<string, LinkConditions | undefined>(all.map((name) => [name, never]));
  const isRaw = ({ type, data }: Block) => type === 'markdown' && mayBeConditional(getTextAt(data, 'markdown') ?? '');
  const isUnread = isConditional(markdown) && (nodes.some(isRaw) || hasMalformedConditions(removeConditions(nodes)));
  const unconditional = new Set<string>();
  collect(nodes, getNames, [], (name, conditions) => {
    if (isUnread) conditionsByName.set(name, never);
    else if (conditions.length === 0) unconditional.add(name);
    else conditionsByName.set(name, [...(conditionsByName.get(name) ?? never), conditions]);
  });
  for (const name of unconditional) conditionsByName.set(name, undefined);
  for (const [name, lists] of conditionsByName)
    if (JSON.stringify(lists ?? '').length > maxCharacters) conditionsByName.set(name, never);
  return conditionsByName;
}

/** Replaces condition blocks with their content. */
const removeConditions = (nodes: Block['nodes']): Block['nodes'] =>
  nodes.flatMap((node): Block['nodes'] => {
    if (!isBlock(node)) return [node];
    const inside = removeConditions(node.nodes);
    return node.type.startsWith('conditional') ? inside : [{ ...node, nodes: inside }];
  });

type AddTarget = (name: string, conditions: string[]) => void;
type NamesOf = (node: Block | Inline) => string[];

function collect(nodes: Block['nodes'], getNames: NamesOf, conditions: string[], put: AddTarget): void {
  for (const node of nodes) {
    if (isBlock(node) && node.type === 'conditional') collectBranches(node, getNames, conditions, put);
    else if (node.object !== 'text') {
      for (const name of getNames(node)) put(name, conditions);
      collect(node.nodes, getNames, conditions, put);
    }
  }
}

function collectBranches(node: Block, getNames: NamesOf, conditions: string[], put: AddTarget): void {
  const before: string[] = [];
  for (const branch of node.nodes.filter(isBlock)) {
    const condition = getTextAt(branch.data, 'condition');
    const ownCondition = condition === undefined ? [] : [`+${condition}`];
    collect(branch.nodes, getNames, [...conditions, ...before, ...ownCondition], put);
    if (condition !== undefined) before.push(`-${condition}`);
  }
}

/** Whether content under these conditions is visible in a scope. */
export const areConditionsMet = (conditions: LinkConditions, scope: EvaluationScope): boolean =>
  conditions.some((all) => all.every((each) => isTrue(each.slice(1), scope) === each.startsWith('+')));

const isTrue = (condition: string, scope: EvaluationScope): boolean => Boolean(evaluate(condition, scope).value);

const maxSpecs = 100;

/** Returns the specifications that blocks refer to, as `findConditions` does, up to a limit. */
export function findSpecs(markdown: string): [spec: string, conditions: LinkConditions | undefined][] {
  if (!/openapi|swagger/.test(markdown)) return [];
  return [...findConditions(markdown, getBlockSpecs)].slice(0, maxSpecs);
}

function getBlockSpecs({ type, data }: Block | Inline): string[] {
  if (!/^(?:openapi|swagger)/.test(type)) return [];
  const spec = getTextAt(data.ref, 'spec') ?? getTextAt(data, 'spec') ?? '';
  return isSpecSlug(spec) ? [spec] : [];
}
