/** What is known of a statement by its text. */
export interface StatementPlan {
  /** Nothing but blanks and comments, which D1 leaves out. */
  isEmpty: boolean;
  /** It writes nothing for certain, so that it needs no transaction and no count of changes. */
  isRead: boolean;
  changesSchema: boolean;
  defersForeignKeys: boolean;
  /** The names of its columns, once it has run. */
  columns: string[] | undefined;
}

function planOf(sql: string): StatementPlan {
  const first = /^\s*(\w*)/.exec(sql)?.[1]?.toUpperCase() ?? '';
  const mayWrite = !['SELECT', 'VALUES', 'WITH'].includes(first) || sql.includes(';');
  return {
    isEmpty: sql.replace(/^\s+--.*/gm, '').trim().length === 0,
    isRead: !mayWrite && (first !== 'WITH' || !/\b(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql)),
    changesSchema: mayWrite && /\b(?:CREATE|ALTER|DROP|ANALYZE|PRAGMA)\b/i.test(sql),
    defersForeignKeys: /\bdefer_foreign_keys\b/i.test(sql),
    columns: undefined,
  };
}

/** Plans by their text, kept up to a number of characters, as SQLite's compiled statements are. */
export class StatementPlans {
  readonly #plans = new Map<string, StatementPlan>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters = 2_000_000) {
    this.#maxCharacters = maxCharacters;
  }

  of(sql: string): StatementPlan {
    const known = this.#plans.get(sql);
    if (known !== undefined) return known;
    if (this.#characters + sql.length > this.#maxCharacters) this.clear();
    const plan = planOf(sql);
    this.#plans.set(sql, plan);
    this.#characters += sql.length;
    return plan;
  }

  clear(): void {
    this.#plans.clear();
    this.#characters = 0;
  }
}
