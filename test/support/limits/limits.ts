import { AsyncLocalStorage } from 'node:async_hooks';

/*
 * Enforces the limits of Cloudflare that workerd does not enforce. This module runs in the machine's isolate, in front
 * of the machine's own module.
 */

/** One request, queue batch or cron run, including the calls of other workers that it causes. */
interface Invocation {
  name: string;
  queries: number;
  /** The number of open calls to databases, buckets, queues and other servers. */
  connections: number;
  /** Functions that start the calls that wait for a connection, in order. */
  waiting: (() => void)[];
  /** The limits that this invocation has exceeded. Each is reported once. */
  passed: Set<string>;
  /** The time of the response. Undefined for queue batches and crons. */
  respondedAt: number | undefined;
  /** The number of reads and writes that still must fail with the error of a lost connection to D1. */
  faults: { read: number; write: number };
}

const maxQueries = 1000;
const maxConnections = 6;
const maxParameters = 100;
const maxStatementBytes = 100_000;
const maxMillisecondsAfterResponse = 30_000;

const current = new AsyncLocalStorage<Invocation>();

/** Logs that the current invocation has exceeded a limit, which fails the test file. */
function report(limit: string): string {
  const invocation = current.getStore();
  const message = `limit of Cloudflare exceeded: ${limit} in ${invocation?.name ?? 'code outside of an invocation'}`;
  if (invocation?.passed.has(limit) !== true)
    console.error(JSON.stringify({ time: new Date().toISOString(), level: 'error', message }));
  invocation?.passed.add(limit);
  return message;
}

/** Refuses a call as Cloudflare does. */
function refuse(limit: string): never {
  throw new Error(report(limit));
}

/** Makes a call that opens a connection. As on Cloudflare, a seventh call waits until another call ends. */
async function open<Value>(call: () => Promise<Value> | Value): Promise<Value> {
  const invocation = current.getStore();
  if (invocation === undefined) return call();
  if (invocation.respondedAt !== undefined && Date.now() - invocation.respondedAt > maxMillisecondsAfterResponse)
    refuse(`${maxMillisecondsAfterResponse / 1000} seconds after the response`);
  if (invocation.connections < maxConnections) invocation.connections += 1;
  else await new Promise<void>((resolve) => invocation.waiting.push(resolve));
  try {
    return await call();
  } finally {
    // The next call takes over the connection.
    const startNext = invocation.waiting.shift();
    if (startNext === undefined) invocation.connections -= 1;
    else startNext();
  }
}

/** If the request asks for it, throws the error of a lost connection to D1. */
function failIfRequested(faults: Invocation['faults'], statements: string[]): void {
  if (faults.read <= 0 && faults.write <= 0) return;
  const kind = statements.some((sql) => /\b(?:INSERT|UPDATE|DELETE)\b/i.test(sql)) ? 'write' : 'read';
  faults[kind] -= 1;
  if (faults[kind] >= 0) throw new Error('D1_ERROR: Network connection lost.');
}

async function query<Value>(statements: string[], call: () => Promise<Value>): Promise<Value> {
  const invocation = current.getStore();
  if (invocation !== undefined) {
    invocation.queries += statements.length;
    if (invocation.queries > maxQueries) refuse(`${maxQueries} D1 queries`);
    failIfRequested(invocation.faults, statements);
  }
  return open(call);
}

type Method = (...args: never[]) => unknown;
type Binding = Record<string, Method>;

interface Statement extends Binding {
  bind: (...values: unknown[]) => Statement;
}

/** The SQL and the underlying database statement, by the limited statement that a worker uses. */
const statements = new WeakMap<object, { sql: string; inner: Statement }>();

function limitStatement(sql: string, inner: Statement): object {
  const run =
    (name: string): Method =>
    (...args) =>
      query([sql], async () => inner[name]?.(...args));
  const limited = {
    bind(...values: unknown[]) {
      if (values.length > maxParameters) refuse(`${maxParameters} parameters of a statement`);
      return limitStatement(sql, inner.bind(...values));
    },
    ...Object.fromEntries(['all', 'run', 'raw', 'first'].map((name) => [name, run(name)])),
  };
  statements.set(limited, { sql, inner });
  return limited;
}

interface Database {
  prepare(sql: string): Statement;
  batch(statements: object[]): Promise<unknown>;
  withSession(start: string): Database;
  getBookmark(): string | null;
  sync(): Promise<void>;
  /** Exists only on one machine. */
  getState?(): string;
}

const limitDatabase = (inner: Database): Database => ({
  prepare(sql) {
    if (sql.length * 3 > maxStatementBytes && new TextEncoder().encode(sql).length > maxStatementBytes)
      refuse(`${maxStatementBytes} bytes of a statement`);
    return limitStatement(sql, inner.prepare(sql)) as Statement;
  },
  async batch(batch) {
    const known = batch.flatMap((each) => statements.get(each) ?? []);
    return query(
      known.map(({ sql }) => sql),
      () => inner.batch(known.map((each) => each.inner)),
    );
  },
  withSession: (start) => limitDatabase(inner.withSession(start)),
  getBookmark: () => inner.getBookmark(),
  sync: () => inner.sync(),
  ...(inner.getState && { getState: inner.getState.bind(inner) }),
});

/** Counts each call of these methods as a connection. */
const limitMethods = <Inner extends object>(inner: Inner, names: string[]): Inner =>
  new Proxy(inner, {
    get(_, name) {
      const value: unknown = Reflect.get(inner, name);
      if (typeof value !== 'function') return value;
      const method: Method = value.bind(inner);
      return names.includes(String(name)) ? (...args: never[]) => open(() => method(...args)) : method;
    },
  });

const queueMethods = ['send', 'sendBatch'];
const bucketMethods = ['delete', 'get', 'head', 'list', 'put', 'createMultipartUpload'];

function limitBinding(name: string, binding: unknown): unknown {
  if (typeof binding !== 'object' || binding === null) return binding;
  if (name === 'DB') return limitDatabase(binding as Database);
  if (['FILES', 'RENDERED'].includes(name)) return limitMethods(binding, bucketMethods);
  return Object.hasOwn(Object.getPrototypeOf(binding), 'sendBatch') ? limitMethods(binding, queueMethods) : binding;
}

type Bindings = Record<string, unknown>;
const limitedBindings = new WeakMap<Bindings, Bindings>();

/** Returns the limited bindings of a worker. The bindings are complete when the first handler is called. */
function limitBindings(env: Bindings): Bindings {
  const known = limitedBindings.get(env);
  if (known !== undefined) return known;
  const limited = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, limitBinding(name, value)]));
  limitedBindings.set(env, limited);
  return limited;
}

const startInvocation = <Value>(name: string, run: (invocation: Invocation) => Value): Value => {
  const faults = { read: 0, write: 0 };
  const counts = { queries: 0, connections: 0, waiting: [], passed: new Set<string>() };
  const invocation: Invocation = { name, ...counts, respondedAt: undefined, faults };
  return current.run(invocation, () => run(invocation));
};

interface Handlers {
  fetch(request: Request, env: Bindings, context: object): Promise<Response> | Response;
  queue(batch: { queue: string }, env: Bindings, context: object): unknown;
  scheduled(event: { cron: string }, env: Bindings, context: object): unknown;
}

type Entry = new (context: object, env: Bindings) => object;

/** Limits the bindings of an entry each time it reads them, because some entries are created before the bindings. */
const limitEntry = (BaseEntry: Entry): Entry =>
  class extends BaseEntry {
    constructor(context: object, env: Bindings) {
      super(context, env);
      Object.defineProperty(this, 'env', { get: () => limitBindings(env) });
    }
  };

/**
 * Returns a worker's module whose invocations are limited, except the calls of the operator's socket, which do not exist
 * on Cloudflare.
 */
export function limitModule(module: { default: Handlers; [name: string]: unknown }, worker: string): object {
  const { default: inner, ...entries } = module;
  const handlers: Handlers = {
    fetch(request, env, context) {
      if (worker === 'operator') return inner.fetch(request, env, context);
      const call = () => inner.fetch(request, limitBindings(env), context);
      // A request of another worker belongs to the invocation of that worker.
      if (current.getStore() !== undefined) return call();
      return startInvocation(`${request.method} ${new URL(request.url).pathname}`, async (invocation) => {
        const [, read = 0, write = 0] = /^(\d+) (\d+)$/.exec(request.headers.get('octavo-test-faults') ?? '') ?? [];
        invocation.faults = { read: Number(read), write: Number(write) };
        const response = await call();
        invocation.respondedAt = Date.now();
        return response;
      });
    },
    queue: (batch, env, context) =>
      startInvocation(`a batch of the queue "${batch.queue}"`, () => inner.queue(batch, limitBindings(env), context)),
    scheduled: (event, env, context) =>
      startInvocation(`the cron "${event.cron}" of ${worker}`, () =>
        inner.scheduled(event, limitBindings(env), context),
      ),
  };
  return {
    ...Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, limitEntry(entry as Entry)])),
    default: handlers,
  };
}

/** Returns a `fetch` whose calls are counted as connections. */
export const limitFetch =
  (inner: typeof fetch): typeof fetch =>
  (...args) =>
    open(() => inner(...args));
