import type { EvaluationScope } from '@octavo/expression';
import { evaluate } from '@octavo/expression';
import { isConditional, mayBeConditional } from '../tree/conditions.ts';
import type { Block, Inline } from '../tree/document-tree.ts';
import { isBlock, textAt } from '../tree/document-tree.ts';
import { hasUnread } from '../tree/evaluate-tree.ts';
import { parseTree } from '../tree/parse-tree.ts';
import { referencesIn } from '../tree/references.ts';
import { getLinks } from './find-links.ts';

/**
 * The conditions under which a target is visible in a document. At least one of the lists must hold. A condition with
 * `+` must be met, and one with `-` must not be met. A target without lists is never known to be visible.
 */
export type LinkConditions = string[][];

const never: LinkConditions = [];
const maxCharacters = 4096;

/** Returns the targets that a document shows only under conditions, with these conditions. */
export function conditionalLinks(markdown: string): Map<string, LinkConditions> {
  if (!isConditional(markdown)) return new Map();
  const getTargets = (node: Block | Inline) =>
    [...referencesIn([{ ...node, nodes: [] } as Block])].map(({ url }) => url);
  const all = getLinks(markdown).map(({ target }) => target);
  const found = standingIn(markdown, getTargets, all);
  return new Map(
    [...found].flatMap(([target, conditions]) => (conditions === undefined ? [] : [[target, conditions]])),
  );
}

/**
 * Returns the targets that a document names only under conditions, with these conditions. The value is undefined for
 * targets that it also names without conditions. Targets in `all` that the document does not name are never visible.
 */
function standingIn(
  markdown: string,
  namesOf: (node: Block | Inline) => string[],
  all: string[] = [],
): Map<string, LinkConditions | undefined> {
  const { nodes } = parseTree(markdown, { sources: 'none', hasKeys: false });
  const found = new Map<string, LinkConditions | undefined>(all.map((name) => [name, never]));
  const isRaw = ({ type, data }: Block) => type === 'markdown' && mayBeConditional(textAt(data, 'markdown') ?? '');
  const isUnread = isConditional(markdown) && (nodes.some(isRaw) || hasUnread(withoutConditions(nodes)));
  const free = new Set<string>();
  collect(nodes, namesOf, [], (name, conditions) => {
    if (isUnread) found.set(name, never);
    else if (conditions.length === 0) free.add(name);
    else found.set(name, [...(found.get(name) ?? never), conditions]);
  });
  for (const name of free) found.set(name, undefined);
  for (const [name, lists] of found) if (JSON.stringify(lists ?? '').length > maxCharacters) found.set(name, never);
  return found;
}

/** Replaces condition blocks with their content. */
const withoutConditions = (nodes: Block['nodes']): Block['nodes'] =>
  nodes.flatMap((node): Block['nodes'] => {
    if (!isBlock(node)) return [node];
    const inside = withoutConditions(node.nodes);
    return node.type.startsWith('conditional') ? inside : [{ ...node, nodes: inside }];
  });

type AddTarget = (name: string, conditions: string[]) => void;
type NamesOf = (node: Block | Inline) => string[];

function collect(nodes: Block['nodes'], namesOf: NamesOf, conditions: string[], put: AddTarget): void {
  for (const node of nodes) {
    if (isBlock(node) && node.type === 'conditional') collectBranches(node, namesOf, conditions, put);
    else if (node.object !== 'text') {
      for (const name of namesOf(node)) put(name, conditions);
      collect(node.nodes, namesOf, conditions, put);
    }
  }
}

function collectBranches(node: Block, namesOf: NamesOf, conditions: string[], put: AddTarget): void {
  const before: string[] = [];
  for (const branch of node.nodes.filter(isBlock)) {
    const condition = textAt(branch.data, 'condition');
    const own = condition === undefined ? [] : [`+${condition}`];
    collect(branch.nodes, namesOf, [...conditions, ...before, ...own], put);
    if (condition !== undefined) before.push(`-${condition}`);
  }
}

/** Whether content under these conditions is visible in a scope. */
export const holdIn = (conditions: LinkConditions, scope: EvaluationScope): boolean =>
  conditions.some((all) => all.every((each) => isMet(each.slice(1), scope) === each.startsWith('+')));

const isMet = (condition: string, scope: EvaluationScope): boolean => Boolean(evaluate(condition, scope).value);

const maxSpecs = 100;
const slug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const maxSlugLength = 100;

/** Returns the specifications that blocks refer to, as `standingIn` does, up to a limit. */
export function specsIn(markdown: string): [spec: string, conditions: LinkConditions | undefined][] {
  if (!markdown.includes('openapi')) return [];
  return [...standingIn(markdown, specsOfBlock)].slice(0, maxSpecs);
}

function specsOfBlock({ type, data }: Block | Inline): string[] {
  if (!type.startsWith('openapi')) return [];
  const spec = textAt(data.ref, 'spec') ?? textAt(data, 'spec') ?? '';
  return spec.length <= maxSlugLength && slug.test(spec) ? [spec] : [];
}
