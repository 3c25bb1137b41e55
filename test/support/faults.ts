import type { DatabaseSync } from 'node:sqlite';
import type { DatabaseBinding, DataFault, DataPlace } from '@octavo/db';
import { checkData, connect } from '@octavo/db';
import { storedData } from '../../workers/content/src/stored-data.ts';

type Value = string | number | null;

/** A database of SQLite as D1 gives it, as far as reading takes. */
function bindingOf(database: DatabaseSync): DatabaseBinding {
  const prepare = (statement: string, values: Value[] = []) => ({
    bind: (...bound: Value[]) => prepare(statement, bound),
    all: async () => ({ results: database.prepare(statement).all(...values), meta: {} }),
  });
  return { prepare, batch: () => Promise.reject(new Error('Nothing is written.')) } as unknown as DatabaseBinding;
}

/** All that `octavo doctor --data` finds wrong in a database. */
export async function faultsIn(database: DatabaseSync): Promise<DataFault[]> {
  const { db } = connect(bindingOf(database), { intent: 'read' });
  const faults: DataFault[] = [];
  for (let from: DataPlace | undefined | null; from !== null; ) {
    const piece = await checkData(db, storedData, from);
    faults.push(...piece.faults);
    from = piece.next;
  }
  return faults;
}
