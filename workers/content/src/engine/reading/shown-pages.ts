import { given, selection, statement } from '@octavo/db';
import type { EvaluationScope, Json } from '@octavo/expression';
import { evaluate, visitorScope } from '@octavo/expression';
import type { Node } from '@octavo/merge';
import type { Claims, LinkTarget } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageCte } from '../nodes/find-nodes.ts';
import { pageFields } from '../nodes/stored-node.ts';

/** An expression, beside the CTE `lineage`: whether a page may be shown under a condition. */
export const someCondition = sql`EXISTS (SELECT 1 FROM lineage l CROSS JOIN versions v INDEXED BY versions_conditions
  ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
  WHERE v.kind = 'page' AND v.data->>'$.fields.condition' IS NOT NULL)`;

const conditionsRow = selection({ some: given(Number) });

/** Whether there may be pages that are shown under conditions: a seek, and a row where there are. */
export const readConditions = statement((lineage: SQL<string>) =>
  conditionsRow.query(sql`WITH ${lineageCte(lineage)} SELECT ${someCondition} AS ${conditionsRow.names.some}`),
);

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
