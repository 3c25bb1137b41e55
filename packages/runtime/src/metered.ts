import type { Connection } from '@octavo/db';
import { connect } from '@octavo/db';
import type { Metered } from '@octavo/schema';
import type { Environment } from './environment.ts';

/** Runs a service method on a connection of its own and sends its cost back with the value. */
export async function metered<Value>(
  env: Pick<Environment, 'DB'>,
  work: (connection: Connection) => Promise<Value>,
): Promise<Metered<Value>> {
  const connection = connect(env.DB, { intent: 'write' });
  const value = await work(connection);
  return { value, cost: connection.cost, bookmark: connection.bookmark() };
}
