import type { Database, RecordOf } from '@octavo/db';
import { computed, given, onlyRow, parsed, runBatch, selection, statement } from '@octavo/db';
import type { EvaluationScope, Json } from '@octavo/expression';
import { evaluate, visitorScope } from '@octavo/expression';
import type { LinkConditions } from '@octavo/markdown';
import { holdIn, maxIncludeDepth } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { maxPageDepth } from '@octavo/merge';
import type { Claims, LinkTarget } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { allNodesIn, hasPageConditions, hasTextConditions, lineageCte, nodeRow, stateAt } from '../store/lineage.ts';
import type { NodeRow } from '../store/nodes.ts';
import { nodesOf, pageFields } from '../store/nodes.ts';

/** What expressions may name, wherever they stand in a space: who visits, none by default, and its variables. */
export const scopeOfSpace = (variables: Node[], claims: Claims = {}): EvaluationScope => ({
  space: { vars: Object.fromEntries(variables.map((node) => [node.id, (node.fields.value ?? null) as Json])) },
  ...visitorScope(claims),
});

type Vars = Record<string, string | number | boolean>;

/** Whether a page's own condition holds, if it has one. */
export const isPageShown = (
  { condition, variables }: { condition?: string | null | undefined; variables?: Vars | null | undefined },
  scope: EvaluationScope,
): boolean => !condition || Boolean(evaluate(condition, { ...scope, page: { vars: variables ?? {} } }).value);

/** A computed page stands for those that are made of it: what it is made of is for members. */
const isForMembers = (page: Node | undefined): boolean => page !== undefined && pageFields(page).type === 'computed';

/** What they may name on a page, or on none. */
export const scopeOn = (page: Node | undefined, scope: EvaluationScope): EvaluationScope => ({
  ...scope,
  page: { vars: (page === undefined ? undefined : pageFields(page).variables) ?? {} },
});

/** The pages that a visitor is shown, of those that are known with all that is above them; others, and computed ones, are not. */
export class ShownPages {
  readonly hasConditions: boolean;
  readonly #scope: EvaluationScope;
  readonly #pages: Map<string, Node>;
  readonly #known = new Map<string, boolean>();

  /** @param hasConditions False where no page of the space has one: then all but computed ones are shown, known or not. */
  constructor(scope: EvaluationScope, pages: Node[], hasConditions: boolean) {
    this.#scope = scope;
    this.#pages = new Map(pages.map((page) => [page.id, page]));
    this.hasConditions = hasConditions;
  }

  /** The same with more pages that are known. */
  with(pages: Node[]): ShownPages {
    return new ShownPages(this.#scope, [...this.#pages.values(), ...pages], this.hasConditions);
  }

  /** Whether the page is one for visitors, and its own condition holds, if it has one. */
  isShown(page: Node): boolean {
    return !isForMembers(page) && isPageShown(pageFields(page), this.#scope);
  }

  /** Whether what a link page leads to may be told. */
  tellsOf(target: LinkTarget): boolean {
    if (target.kind === 'page' || target.kind === 'anchor') return target.space === undefined && this.has(target.page);
    return target.kind !== 'space';
  }

  /** Whether the conditions of a page and of all above it hold. */
  has(id: string): boolean {
    if (!this.hasConditions) return !isForMembers(this.#pages.get(id));
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    this.#known.set(id, false);
    const page = this.#pages.get(id);
    const isShown = page !== undefined && this.isShown(page) && (page.parent === '' || this.has(page.parent));
    this.#known.set(id, isShown);
    return isShown;
  }
}

/** So many links are followed on all pages together; what else is used is not known to be. */
const maxFollowed = 1_000_000;

type Conditional = [target: string, conditions: LinkConditions][];

/** A node, with the links that its document holds under conditions. */
const linkedRow = selection({
  ...nodeRow.fields,
  conditional: computed(
    parsed<Conditional>(),
    sql`(SELECT json_group_array(json_array(k.target, json(k.conditions)))
      FROM document_links k INDEXED BY document_links_conditional WHERE k.hash = v.document AND k.conditions IS NOT NULL)`,
  ),
});

type LinkedRow = NodeRow & { conditional: Conditional };

/** All live nodes of a kind, with the links that their documents hold under conditions. Rows as without those. */
const linkedNodesIn = statement((lineage: SQL<string>, kind: SQL<string>) =>
  linkedRow.query(sql`
    WITH ${lineageCte(lineage)}, states AS MATERIALIZED (
      SELECT v.*, MIN(l.depth) AS depth
      FROM lineage l CROSS JOIN versions v ON v.branch = l.branch AND v.kind = ${kind} AND v.until > l.seq AND v.since <= l.seq
      GROUP BY v.id HAVING v.deleted = 0)
    SELECT ${linkedRow} FROM states v`),
);

/** The statements that read what decides on all that a visitor is shown of a space. */
export const readShown = (lineage: string) => ({
  pages: linkedNodesIn(lineage, 'page'),
  contents: linkedNodesIn(lineage, 'reusable-content'),
  variables: allNodesIn(lineage, 'variable'),
});

interface ShownRows {
  pages: LinkedRow[];
  contents: LinkedRow[];
  variables: NodeRow[];
}

/** Whether anything in a space is shown under conditions. */
interface SomeConditions {
  pages: boolean;
  texts: boolean;
}

/**
 * What a visitor is shown of a space: the pages whose conditions hold, and the files and reusable contents that what is
 * shown of those uses. Without any conditions that is everything.
 */
export class ShownContent {
  readonly pages: ShownPages;
  readonly #conditional: Map<string | null, Map<string, LinkConditions>>;
  readonly #contents: Map<string, Node>;
  readonly #scope: EvaluationScope;
  readonly #used = new Set<string>();
  readonly #hasConditions: boolean;
  #followed = 0;

  /** @param some What there is in the whole space, where the rows are a part of it. */
  constructor(claims: Claims, { pages, contents, variables }: ShownRows, some?: SomeConditions) {
    this.#scope = scopeOfSpace(nodesOf(variables), claims);
    const nodes = nodesOf(pages);
    const isConditional = some?.pages ?? nodes.some((page) => Boolean(pageFields(page).condition));
    this.pages = new ShownPages(this.#scope, nodes, isConditional);
    const rows = [...pages, ...contents].filter(({ conditional }) => conditional.length > 0);
    this.#hasConditions = isConditional || (some?.texts ?? rows.length > 0);
    this.#conditional = new Map(rows.map(({ document, conditional }) => [document, withoutAnchors(conditional)]));
    this.#contents = new Map(nodesOf(contents).map((content) => [content.id, content]));
    if (this.#hasConditions) for (const page of nodes) if (this.pages.has(page.id)) this.#use(page);
  }

  /** Whether nothing of the space is shown under conditions. */
  get isOpen(): boolean {
    return !this.#hasConditions;
  }

  /** Whether something that is shown uses a file or a reusable content. */
  uses({ id }: Pick<Node, 'id'>): boolean {
    return !this.#hasConditions || this.#used.has(id);
  }

  #use(page: Node): void {
    const { cover, target } = pageFields(page);
    for (const each of [cover?.ref, cover?.refDark, target]) if (each?.kind === 'file') this.#used.add(each.file);
    const scope = scopeOn(page, this.#scope);
    const met = new Set<Node>();
    let level = [page];
    for (let depth = 0; depth <= maxIncludeDepth && level.length > 0; depth += 1) {
      const ids = level.flatMap((node) => this.#linkedBy(node, scope));
      for (const id of ids) this.#used.add(id);
      const next = ids.flatMap((id) => this.#contents.get(id) ?? []).filter((content) => !met.has(content));
      level = [...new Set(next)];
      for (const content of level) met.add(content);
    }
  }

  /** What the shown part of a document leads to. */
  #linkedBy(node: Node, scope: EvaluationScope): string[] {
    const links = Object.entries(node.links ?? {});
    this.#followed += links.length;
    if (this.#followed > maxFollowed) return [];
    const conditional = this.#conditional.get(node.document);
    return links.flatMap(([target, id]) => {
      const conditions = conditional?.get(target);
      return conditions === undefined || holdIn(conditions, scope) ? [id] : [];
    });
  }
}

/** Targets as they are kept with what they lead to; two that differ in their anchors alone are one. */
function withoutAnchors(conditional: Conditional): Map<string, LinkConditions> {
  const found = new Map<string, LinkConditions>();
  for (const [target, conditions] of conditional) {
    const address = target.split('#', 1)[0] ?? '';
    found.set(address, [...(found.get(address) ?? []), ...conditions]);
  }
  return found;
}

/** The statements that read what decides on whether a visitor is shown a file or a reusable content. */
export const readShownUse = (lineage: string, id: string) => ({
  some: readSomeConditions(lineage),
  users: readUsers(lineage, id),
  variables: allNodesIn(lineage, 'variable'),
});

interface UseRows {
  some: RecordOf<typeof conditionsRow>[];
  users: RecordOf<typeof userRow>[];
  variables: NodeRow[];
}

interface Asked {
  db: Database;
  lineage: string;
  id: string;
  claims: Claims;
}

/**
 * What a visitor is shown of what uses a file or a reusable content. Rows follow what uses it, up to a bound: only where
 * none of so many is shown and there are more, all of the space is read, in one round trip more.
 */
export async function shownUse({ db, lineage, id, claims }: Asked, rows: UseRows): Promise<ShownContent> {
  const { users, variables } = rows;
  const pages = users.filter(({ kind }) => kind === 'page');
  const contents = users.filter(({ kind }) => kind === 'reusable-content');
  const near = new ShownContent(claims, { pages, contents, variables }, onlyRow(rows.some));
  if (near.uses({ id }) || (users[0]?.users ?? 0) <= maxUsers) return near;
  return new ShownContent(claims, await runBatch(db, readShown(lineage)));
}

/** So many pages and reusable contents that use one thing are looked through. */
const maxUsers = 64;

const conditionsRow = selection({ pages: given(Boolean), texts: given(Boolean) });

/** Whether anything of a space is shown under conditions: pages, and parts of texts. */
const readSomeConditions = statement((lineage: SQL<string>) => {
  const columns = conditionsRow.with({ pages: hasPageConditions, texts: hasTextConditions });
  return conditionsRow.query(sql`WITH ${lineageCte(lineage)} SELECT ${columns}`);
});

const userRow = selection({ ...linkedRow.fields, users: given(Number) });

/**
 * Where anything is shown under conditions: what uses a file or a reusable content, directly or by what is included, with
 * all pages above those and itself. `users` is how many there are, up to one more than are looked through.
 */
const readUsers = statement((lineage: SQL<string>, id: SQL<string>) =>
  userRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, users(kind, id, level) AS (
      SELECT 'reusable-content', ${id}, 0 WHERE ${hasPageConditions} OR ${hasTextConditions}
      UNION
      SELECT v.kind, v.id, level + 1 FROM users u CROSS JOIN lineage l CROSS JOIN version_uses v
        ON v.branch = l.branch AND v.used = u.id AND v.until > l.seq AND v.since <= l.seq
      WHERE u.kind <> 'page' AND level <= ${sql.raw(String(maxIncludeDepth))}
      LIMIT ${sql.raw(String(maxUsers + 2))}
    ), counted(users) AS MATERIALIZED (SELECT COUNT(*) - 1 FROM users), up(id, level) AS (
      SELECT id, 0 FROM users WHERE kind = 'page'
      UNION
      SELECT (SELECT v.parent FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`up.id`)} ORDER BY l.depth LIMIT 1), level + 1
      FROM up WHERE up.id <> '' AND level <= ${sql.raw(String(maxPageDepth))}
    ), wanted(kind, id) AS MATERIALIZED (
      SELECT 'page', id FROM up WHERE id <> '' UNION SELECT kind, id FROM users WHERE kind <> 'page'
    ), states AS MATERIALIZED (
      SELECT v.*, MIN(l.depth) AS depth FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`w.kind`, sql`w.id`)}
      GROUP BY v.kind, v.id HAVING v.deleted = 0)
    SELECT ${linkedRow}, users FROM states v CROSS JOIN counted`),
);
