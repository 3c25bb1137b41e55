import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { Refusal, type Route, readJson, requireFound } from './fake-api.ts';

export interface Consumer {
  consumer_id: string;
  script: string;
  type: string;
  dead_letter_queue?: string;
  settings: Record<string, unknown>;
}

export const isRead = (sql: string) => /^\s*SELECT\b/i.test(sql) && !sql.trim().slice(0, -1).includes(';');

/** Databases, which are real SQLite databases, queues and buckets. */
export class FakeStorage {
  readonly databases = new Map<
    string,
    { uuid: string; name: string; location: string; replication: string; data: DatabaseSync; written: string[] }
  >();
  readonly queues = new Map<string, { queue_id: string; queue_name: string; consumers: Consumer[] }>();
  readonly buckets = new Map<string, { name: string; location: string }>();

  protected readonly storageRoutes: Route[] = [
    [
      'GET',
      /^\/d1\/database$/,
      ({ url }) =>
        [...this.databases.values()]
          .map(({ uuid, name }) => ({ uuid, name }))
          .filter(({ name }) => name === url.searchParams.get('name')),
    ],
    ['POST', /^\/d1\/database$/, (request) => this.#createDatabase(readJson(request))],
    ['GET', /^\/d1\/database\/([^/]+)$/, (_, id = '') => this.#presentDatabase(id)],
    ['PUT', /^\/d1\/database\/([^/]+)$/, (request, id = '') => this.#updateDatabase(id, readJson(request))],
    ['POST', /^\/d1\/database\/([^/]+)\/query$/, (request, id = '') => this.#query(id, readJson(request))],
    ['GET', /^\/queues$/, ({ url }) => this.#listQueues(url.searchParams.getAll('name'))],
    ['POST', /^\/queues$/, (request) => this.#createQueue(readJson(request))],
    ['GET', /^\/r2\/buckets\/([^/]+)$/, (_, name = '') => requireFound(this.buckets.get(name), 10006, 'bucket')],
    ['POST', /^\/r2\/buckets$/, (request) => this.#createBucket(readJson(request))],
  ];

  #createDatabase({ name, primary_location_hint: location }: { name: string; primary_location_hint: string }) {
    if ([...this.databases.values()].some((each) => each.name === name))
      throw new Refusal(400, 7502, `A database with that name already exists: ${name}`);
    const uuid = randomUUID();
    const data = new DatabaseSync(':memory:');
    this.databases.set(uuid, { uuid, name, location, replication: 'disabled', data, written: [] });
    return { uuid, name };
  }

  #presentDatabase(id: string) {
    const { uuid, name, replication } = requireFound(this.databases.get(id), 7404, 'database');
    return { uuid, name, read_replication: { mode: replication } };
  }

  #updateDatabase(id: string, { read_replication: { mode } }: { read_replication: { mode: string } }) {
    requireFound(this.databases.get(id), 7404, 'database').replication = mode;
    return this.#presentDatabase(id);
  }

  #query(id: string, { sql }: { sql: string }) {
    const { data, written } = requireFound(this.databases.get(id), 7404, 'database');
    try {
      if (isRead(sql)) return [{ results: data.prepare(sql).all(), success: true, meta: {} }];
      data.exec('BEGIN');
      data.exec(sql);
      data.exec('COMMIT');
      written.push(sql);
      return [{ results: [], success: true, meta: {} }];
    } catch (error) {
      if (data.isTransaction) data.exec('ROLLBACK');
      throw new Refusal(400, 7500, `${(error as Error).message}: SQLITE_ERROR`);
    }
  }

  #listQueues(names: string[]) {
    return [...this.queues.values()].filter(({ queue_name }) => names.length === 0 || names.includes(queue_name));
  }

  #createQueue({ queue_name: name }: { queue_name: string }) {
    if (this.queues.has(name)) throw new Refusal(409, 11009, `Queue name '${name}' is already taken`);
    const queue = { queue_id: randomUUID(), queue_name: name, consumers: [] };
    this.queues.set(name, queue);
    return queue;
  }

  #createBucket({ name, locationHint: location }: { name: string; locationHint: string }) {
    if (this.buckets.has(name)) throw new Refusal(409, 10004, 'The bucket you tried to create already exists');
    this.buckets.set(name, { name, location });
    return { name };
  }
}
