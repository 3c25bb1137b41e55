import { type Database, databaseOver } from './database-over.ts';

interface Waiting {
  statements: D1PreparedStatement[];
  resolve: (results: D1Result[]) => void;
  reject: (cause: unknown) => void;
}

/**
 * The same database for reads that go on beside each other: the batches that are asked for in one turn are sent as one,
 * which is one round trip. For reads alone, since one that fails fails all of them.
 */
export function gatherReads({ $client: source }: Database): Database {
  let waiting: Waiting[] = [];
  const send = async () => {
    const sent = waiting;
    waiting = [];
    try {
      const results = (await source.batch(sent.flatMap(({ statements }) => statements))).values();
      for (const { statements, resolve } of sent) resolve([...results.take(statements.length)]);
    } catch (error) {
      for (const { reject } of sent) reject(error);
    }
  };
  const batch = (statements: D1PreparedStatement[]): Promise<D1Result[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<D1Result[]>();
    // What others of the same turn ask for comes before a timer does.
    if (waiting.length === 0) setTimeout(send, 0);
    waiting.push({ statements, resolve, reject });
    return promise;
  };
  const client = { prepare: (sql: string) => source.prepare(sql), batch };
  return databaseOver(client as unknown as D1Database);
}
