import { computed, parsed, selection, statement } from '@octavo/db';
import type { EvaluationScope } from '@octavo/expression';
import type { LinkConditions } from '@octavo/markdown';
import { holdIn, maxIncludeDepth } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { Claims } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { allNodesIn, lineageCte, nodeRow } from '../nodes/find-nodes.ts';
import type { NodeRow } from '../nodes/stored-node.ts';
import { nodesOf, pageFields } from '../nodes/stored-node.ts';
import { ShownPages, scopeOfSpace, scopeOn } from './shown-pages.ts';

/** So many links are followed on all pages together; what else is used is not known to be. */
const maxFollowed = 1_000_000;

type Conditional = [target: string, conditions: LinkConditions][];

/** A node, with the links that its document holds under conditions. */
export const linkedRow = selection({
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

export interface ShownRows {
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
