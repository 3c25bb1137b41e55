import type { Database, Lookup, RecordOf } from '@octavo/db';
import { computed, fromJson, fromQuery, getOnlyRow, prepareStatement, runBatch, selection } from '@octavo/db';
import type { EvaluationScope, Json } from '@octavo/expression';
import { createVisitorScope, evaluate } from '@octavo/expression';
import type { LinkConditions } from '@octavo/markdown';
import { areConditionsMet, maxIncludeDepth } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { maxPageDepth } from '@octavo/merge';
import type { Claims, LinkTarget } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import {
  createLineageCte,
  hasPageConditions,
  hasTextConditions,
  nodeRow,
  readAllNodes,
  selectState,
} from '../store/lineage.ts';
import type { NodeRow } from '../store/nodes.ts';
import { getPageFields, toNodes } from '../store/nodes.ts';

/**
 * Creates the scope of expressions anywhere in a space: the visitor (without claims by default) and the space's
 * variables.
 */
export const createSpaceScope = (variables: Node[], claims: Claims = {}): EvaluationScope => ({
  space: { vars: Object.fromEntries(variables.map((node) => [node.id, (node.fields.value ?? null) as Json])) },
  ...createVisitorScope(claims),
});

type Vars = Record<string, string | number | boolean>;

/** Whether a page's own condition, if any, holds. */
export const isPageShown = (
  { condition, variables }: { condition?: string | null | undefined; variables?: Vars | null | undefined },
  scope: EvaluationScope,
): boolean => !condition || Boolean(evaluate(condition, { ...scope, page: { vars: variables ?? {} } }).value);

/** A computed page itself is visible to members only; visitors see the pages generated from it. */
const isForMembers = (page: Node | undefined): boolean => page !== undefined && getPageFields(page).type === 'computed';

/** Adds the variables of a page to a scope. */
export const createPageScope = (page: Node | undefined, scope: EvaluationScope): EvaluationScope => ({
  ...scope,
  page: { vars: (page === undefined ? undefined : getPageFields(page).variables) ?? {} },
});

/**
 * Decides which pages a visitor may see. Considers only pages that are loaded with all of their ancestors. Other pages,
 * and computed pages, are hidden.
 */
export class ShownPages {
  readonly hasConditions: boolean;
  readonly #scope: EvaluationScope;
  readonly #pages: Map<string, Node>;
  readonly #visibilityById = new Map<string, boolean>();

  /**
   * @param hasConditions False if no page of the space has a condition: then all pages but computed ones are visible,
   * loaded or not.
   */
  constructor(scope: EvaluationScope, pages: Node[], hasConditions: boolean) {
    this.#scope = scope;
    this.#pages = new Map(pages.map((page) => [page.id, page]));
    this.hasConditions = hasConditions;
  }

  /** Returns a copy with more loaded pages. */
  extend(pages: Node[]): ShownPages {
    return new ShownPages(this.#scope, [...this.#pages.values(), ...pages], this.hasConditions);
  }

  /** Whether the page is visible to visitors and its own condition, if any, holds. */
  isShown(page: Node): boolean {
    return !isForMembers(page) && isPageShown(getPageFields(page), this.#scope);
  }

  /** Whether a visitor may see the target of a link page. */
  mayShowTarget(target: LinkTarget): boolean {
    if (target.kind === 'page' || target.kind === 'anchor') return target.space === undefined && this.has(target.page);
    return target.kind !== 'space';
  }

  /** Whether the conditions of a page and of all its ancestors hold. */
  has(id: string): boolean {
    if (!this.hasConditions) return !isForMembers(this.#pages.get(id));
    const knownVisibility = this.#visibilityById.get(id);
    if (knownVisibility !== undefined) return knownVisibility;
    this.#visibilityById.set(id, false);
    const page = this.#pages.get(id);
    const isShown = page !== undefined && this.isShown(page) && (page.parent === '' || this.has(page.parent));
    this.#visibilityById.set(id, isShown);
    return isShown;
  }
}

/**
 * Maximum number of links that are followed on all pages together. If only links beyond this limit reach a node, the
 * node counts as unused.
 */
const maxFollowedLinks = 1_000_000;

type Conditional = [target: string, conditions: LinkConditions][];

/** A node with the conditional links of its document. */
const linkedRow = selection({
  ...nodeRow.fields,
  conditional: computed(
    fromJson<Conditional>(),
    sql`(SELECT json_group_array(json_array(k.target, json(k.conditions)))
      FROM document_links k INDEXED BY document_links_conditional WHERE k.hash = v.document AND k.conditions IS NOT NULL)`,
  ),
});

type LinkedRow = NodeRow & { conditional: Conditional };

/** Reads all live nodes of a kind with the conditional links of their documents. The links cost no additional rows. */
const readLinkedNodes = prepareStatement((lineage: SQL<string>, kind: SQL<string>) =>
  linkedRow.query(sql`
    WITH ${createLineageCte(lineage)}, states AS MATERIALIZED (
      SELECT v.*, MIN(l.depth) AS depth
      FROM lineage l CROSS JOIN versions v ON v.branch = l.branch AND v.kind = ${kind} AND v.until > l.seq AND v.since <= l.seq
      GROUP BY v.id HAVING v.deleted = 0)
    SELECT ${linkedRow} FROM states v`),
);

/** Returns the statements that decide everything a visitor may see of a space; no statements for members. */
export const queryShownTargets = (lineage: string | Lookup<string>, isVisited = true) => ({
  pages: isVisited ? readLinkedNodes(lineage, 'page') : [],
  contents: isVisited ? readLinkedNodes(lineage, 'reusable-content') : [],
  variables: isVisited ? readAllNodes(lineage, 'variable') : [],
});

interface ShownRows {
  pages: LinkedRow[];
  contents: LinkedRow[];
  variables: NodeRow[];
}

/** Whether pages or parts of texts of a space have conditions. */
interface SomeConditions {
  pages: boolean;
  texts: boolean;
}

/**
 * Everything a visitor may see of a space: pages whose conditions hold, and files and reusable contents used by visible
 * parts of those pages. If nothing in the space has conditions, it is the whole space.
 */
export class ShownContent {
  readonly pages: ShownPages;
  readonly #conditional: Map<string | null, Map<string, LinkConditions>>;
  readonly #contents: Map<string, Node>;
  readonly #scope: EvaluationScope;
  readonly #used = new Set<string>();
  readonly #hasConditions: boolean;
  #followed = 0;

  /**
   * @param conditions Whether pages or texts anywhere in the space have conditions. Required if the rows are only a
   * part of the space.
   */
  constructor(claims: Claims, { pages, contents, variables }: ShownRows, conditions?: SomeConditions) {
    this.#scope = createSpaceScope(toNodes(variables), claims);
    const nodes = toNodes(pages);
    const isConditional = conditions?.pages ?? nodes.some((page) => Boolean(getPageFields(page).condition));
    this.pages = new ShownPages(this.#scope, nodes, isConditional);
    const rows = [...pages, ...contents].filter(({ conditional }) => conditional.length > 0);
    this.#hasConditions = isConditional || (conditions?.texts ?? rows.length > 0);
    this.#conditional = new Map(rows.map(({ document, conditional }) => [document, mergeByAddress(conditional)]));
    this.#contents = new Map(toNodes(contents).map((content) => [content.id, content]));
    if (this.#hasConditions) for (const page of nodes) if (this.pages.has(page.id)) this.#use(page);
  }

  /** Whether nothing in the space has conditions. */
  get isOpen(): boolean {
    return !this.#hasConditions;
  }

  /** Whether something visible uses a file or a reusable content. */
  isUsed({ id }: Pick<Node, 'id'>): boolean {
    return !this.#hasConditions || this.#used.has(id);
  }

  #use(page: Node): void {
    const { cover, target } = getPageFields(page);
    for (const each of [cover?.ref, cover?.refDark, target]) if (each?.kind === 'file') this.#used.add(each.file);
    const scope = createPageScope(page, this.#scope);
    const usedNodes = new Set<Node>();
    let level = [page];
    for (let depth = 0; depth <= maxIncludeDepth && level.length > 0; depth += 1) {
      const ids = level.flatMap((node) => this.#findLinked(node, scope));
      for (const id of ids) this.#used.add(id);
      const next = ids.flatMap((id) => this.#contents.get(id) ?? []).filter((content) => !usedNodes.has(content));
      level = [...new Set(next)];
      for (const content of level) usedNodes.add(content);
    }
  }

  /** Returns the targets of links in the visible part of a document. */
  #findLinked(node: Node, scope: EvaluationScope): string[] {
    const links = Object.entries(node.links ?? {});
    this.#followed += links.length;
    if (this.#followed > maxFollowedLinks) return [];
    const conditional = this.#conditional.get(node.document);
    return links.flatMap(([target, id]) => {
      const conditions = conditional?.get(target);
      return conditions === undefined || areConditionsMet(conditions, scope) ? [id] : [];
    });
  }
}

/** Merges the conditions of targets that differ only in their anchors. */
function mergeByAddress(conditional: Conditional): Map<string, LinkConditions> {
  const conditionsByAddress = new Map<string, LinkConditions>();
  for (const [target, conditions] of conditional) {
    const address = target.split('#', 1)[0] ?? '';
    conditionsByAddress.set(address, [...(conditionsByAddress.get(address) ?? []), ...conditions]);
  }
  return conditionsByAddress;
}

/**
 * Returns the statements that decide whether a visitor may see a file or a reusable content; no statements for members.
 */
export const queryVisibleUses = (lineage: string | Lookup<string>, id: string, isVisited: boolean) => ({
  some: isVisited ? readSomeConditions(lineage) : [],
  users: isVisited ? readUsers(lineage, id) : [],
  variables: isVisited ? readAllNodes(lineage, 'variable') : [],
});

interface UseRows {
  some: RecordOf<typeof conditionsRow>[];
  users: RecordOf<typeof userRow>[];
  variables: NodeRow[];
}

interface UseReading {
  db: Database;
  lineage: string;
  id: string;
  claims: Claims;
}

/**
 * Returns the visible content around a file or a reusable content. Reads rows in proportion to the nodes that use it,
 * up to a limit: if none of those is visible and there are more, it reads the whole space in one more round trip.
 */
export async function loadShownUse({ db, lineage, id, claims }: UseReading, rows: UseRows): Promise<ShownContent> {
  const { users, variables } = rows;
  const pages = users.filter(({ kind }) => kind === 'page');
  const contents = users.filter(({ kind }) => kind === 'reusable-content');
  const nearby = new ShownContent(claims, { pages, contents, variables }, getOnlyRow(rows.some));
  if (nearby.isUsed({ id }) || (users[0]?.users ?? 0) <= maxReferringNodes) return nearby;
  return new ShownContent(claims, await runBatch(db, queryShownTargets(lineage)));
}

/** Maximum number of pages and reusable contents that are checked for one file or content. */
const maxReferringNodes = 64;

const conditionsRow = selection({ pages: fromQuery(Boolean), texts: fromQuery(Boolean) });

const readSomeConditions = prepareStatement((lineage: SQL<string>) => {
  const columns = conditionsRow.with({ pages: hasPageConditions, texts: hasTextConditions });
  return conditionsRow.query(sql`WITH ${createLineageCte(lineage)} SELECT ${columns}`);
});

const userRow = selection({ ...linkedRow.fields, users: fromQuery(Number) });

/**
 * If anything in the space has conditions, reads the nodes that use a file or a reusable content, directly or through
 * includes, the ancestors of the pages among them, and the content itself. `users` is the number of nodes that use the
 * file or content, up to one more than the limit.
 */
const readUsers = prepareStatement((lineage: SQL<string>, id: SQL<string>) =>
  userRow.query(sql`
    WITH RECURSIVE ${createLineageCte(lineage)}, users(kind, id, level) AS (
      SELECT 'reusable-content', ${id}, 0 WHERE ${hasPageConditions} OR ${hasTextConditions}
      UNION
      SELECT v.kind, v.id, level + 1 FROM users u CROSS JOIN lineage l CROSS JOIN version_uses v
        ON v.branch = l.branch AND v.used = u.id AND v.until > l.seq AND v.since <= l.seq
      WHERE u.kind <> 'page' AND level <= ${sql.raw(String(maxIncludeDepth))}
      LIMIT ${sql.raw(String(maxReferringNodes + 2))}
    ), counted(users) AS MATERIALIZED (SELECT COUNT(*) - 1 FROM users), up(id, level) AS (
      SELECT id, 0 FROM users WHERE kind = 'page'
      UNION
      SELECT (SELECT v.parent FROM lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`up.id`)} ORDER BY l.depth LIMIT 1), level + 1
      FROM up WHERE up.id <> '' AND level <= ${sql.raw(String(maxPageDepth))}
    ), wanted(kind, id) AS MATERIALIZED (
      SELECT 'page', id FROM up WHERE id <> '' UNION SELECT kind, id FROM users WHERE kind <> 'page'
    ), states AS MATERIALIZED (
      SELECT v.*, MIN(l.depth) AS depth FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`w.kind`, sql`w.id`)}
      GROUP BY v.kind, v.id HAVING v.deleted = 0)
    SELECT ${linkedRow}, users FROM states v CROSS JOIN counted`),
);
