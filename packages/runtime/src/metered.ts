import type { Connection, Database } from '@octavo/db';
import { connect } from '@octavo/db';
import type { Metered } from '@octavo/schema';
import type { Background, Environment } from './environment.ts';
import type { Urls } from './respond.ts';
import { createUrls } from './respond.ts';

/** Runs a service method on its own connection and returns its cost with the value. */
export async function runMeteredWork<Value>(
  env: Pick<Environment, 'DB'>,
  work: (connection: Connection) => Promise<Value>,
): Promise<Metered<Value>> {
  const connection = connect(env.DB, { intent: 'write' });
  const value = await work(connection);
  return { value, cost: connection.cost, bookmark: connection.bookmark() };
}

/** The values that the function of a service method can use. */
export interface ServiceContext<Env> {
  db: Database;
  connection: Connection;
  env: Env;
  background: Background;
  urls: Urls;
}

/** A function for each method of a service: it takes the method's input and returns its value without the cost. */
type ServiceFunctions<Service, Env> = {
  [Name in keyof Service]: Service[Name] extends (input: infer Input) => Promise<Metered<infer Value>>
    ? (input: Input, context: ServiceContext<Env>) => Value | Promise<Value>
    : never;
};

/**
 * Returns an entrypoint class whose methods run the given functions, each call on its own metered connection. The
 * caller passes `WorkerEntrypoint`, because the module `cloudflare:workers` cannot be imported here: Node runs this
 * package too.
 */
export function createMeteredService<Service, Env extends Environment>(
  Entrypoint: typeof CloudflareWorkersModule.WorkerEntrypoint,
  functions: ServiceFunctions<Service, Env>,
) {
  return class MeteredService extends Entrypoint<Env> {
    static {
      // RPC reaches methods of the prototype only, not properties of an instance.
      for (const [name, call] of Object.entries<ServiceFunctions<Service, Env>[keyof Service]>(functions))
        Object.defineProperty(MeteredService.prototype, name, {
          value(this: MeteredService, input: unknown) {
            const { env, ctx: background } = this;
            return runMeteredWork(env, async (connection) =>
              call(input, { db: connection.db, connection, env, background, urls: createUrls(env) }),
            );
          },
        });
    }
  };
}
