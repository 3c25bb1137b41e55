import type { Connection, ConnectOptions, Database } from '@octavo/db';
import { connect } from '@octavo/db';
import type { Bookmark, Metered } from '@octavo/schema';
import type { Background, Environment } from './environment.ts';
import type { Urls } from './respond.ts';
import { createUrls } from './respond.ts';

/** Runs a service method on its own connection and returns its cost with the value. */
export async function runMeteredWork<Value>(
  env: Pick<Environment, 'DB' | 'OCTAVO_BUILD'>,
  work: (connection: Connection) => Promise<Value>,
  options: ConnectOptions = { intent: 'write' },
): Promise<Metered<Value>> {
  const connection = connect(env.DB, options);
  const value = await work(connection);
  return { value, cost: connection.cost, bookmark: connection.bookmark(), build: env.OCTAVO_BUILD };
}

/** The values that the function of a service method can use. */
export interface ServiceContext<Env> {
  db: Database;
  connection: Connection;
  env: Env;
  background: Background;
  urls: Urls;
}

/** The names of the methods that only read. They read a state that is at least as new as the bookmark they take. */
type ReadNames<Service> = {
  [Name in keyof Service]: Service[Name] extends (input: never) => unknown ? never : Name;
}[keyof Service];

/** A function for each method of a service: it takes the method's input and returns its value without the cost. */
type FunctionsOf<Service, Env> = {
  [Name in keyof Service]: Service[Name] extends (
    input: infer Input,
    bookmark: Bookmark,
  ) => Promise<Metered<infer Value>>
    ? (input: Input, context: ServiceContext<Env>) => Value | Promise<Value>
    : never;
};

interface ServiceFunctions<Service, Env> {
  /** Returns the environment that the functions receive, derived from that of the worker. */
  prepare?: (env: Env) => Env;
  reads: FunctionsOf<Pick<Service, ReadNames<Service>>, Env>;
  /** Only these functions use the primary database. */
  writes: FunctionsOf<Omit<Service, ReadNames<Service>>, Env>;
}

type AnyFunction<Env> = (input: unknown, context: ServiceContext<Env>) => Promise<unknown>;

/**
 * Returns an entrypoint class whose methods run the given functions, each call on its own metered connection. The
 * caller passes `WorkerEntrypoint`, because the module `cloudflare:workers` cannot be imported here: Node runs this
 * package too.
 */
export function createMeteredService<Service, Env extends Environment>(
  Entrypoint: typeof CloudflareWorkersModule.WorkerEntrypoint,
  { reads, writes, prepare = (env) => env }: ServiceFunctions<Service, Env>,
) {
  return class MeteredService extends Entrypoint<Env> {
    static #define(functions: object, intent: ConnectOptions['intent']): void {
      // RPC can call only methods of the prototype, not properties of an instance.
      for (const [name, call] of Object.entries<AnyFunction<Env>>({ ...functions }))
        Object.defineProperty(MeteredService.prototype, name, {
          value(this: MeteredService, input: unknown, bookmark: Bookmark | undefined) {
            const { ctx: background } = this;
            const env = prepare(this.env);
            const work = async (connection: Connection) =>
              call(input, { db: connection.db, connection, env, background, urls: createUrls(env) });
            return runMeteredWork(env, work, { intent, bookmark });
          },
        });
    }

    static {
      MeteredService.#define(reads, 'read');
      MeteredService.#define(writes, 'write');
    }
  };
}
