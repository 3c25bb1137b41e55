import type { DatabaseBinding, TextStore } from './connect.ts';
import { QueryBudget } from './connect.ts';

interface WithDatabase {
  DB: DatabaseBinding;
}

/** Returns an environment whose database binding has these additional properties. */
function extendDatabase<Env extends WithDatabase>(env: Env, more: Partial<DatabaseBinding>): Env {
  const { DB } = env;
  const { budget, texts, isUnlimited } = DB;
  return {
    ...env,
    DB: {
      prepare: (sql) => DB.prepare(sql),
      batch: (statements) => DB.batch(statements),
      ...(DB.withSession === undefined ? {} : { withSession: (start) => DB.withSession?.(start) }),
      ...(DB.sync === undefined ? {} : { sync: () => DB.sync?.() }),
      ...{ budget, texts, isUnlimited, ...more },
    } as DatabaseBinding,
  };
}

/**
 * Returns an environment whose queries are counted, for one invocation whose work continues in the next one. On one
 * machine, nothing is counted.
 */
export const countQueries = <Env extends WithDatabase>(env: Env): Env =>
  env.DB.isUnlimited === true ? env : extendDatabase(env, { budget: new QueryBudget() });

/** Returns an environment whose connections read moved texts from `texts`. */
export const addTexts = <Env extends WithDatabase>(env: Env, texts: TextStore): Env => extendDatabase(env, { texts });

/** Whether this invocation may start work with this number of queries. Always true if its queries are not counted. */
export const hasQueries = ({ DB }: WithDatabase, queries: number): boolean => DB.budget?.has(queries) ?? true;
