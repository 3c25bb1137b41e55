import type { ApiError, Contract, Endpoint, ResponseOf } from '@octavo/schema';
import type * as z from 'zod';
import { addressOf } from './address.ts';
import { readAnswer } from './answer.ts';
import { fetchWithRetries, type Retrying } from './retry.ts';

type Part<Name extends string, Schema> = Schema extends z.ZodType
  ? undefined extends z.input<Schema>
    ? { [Key in Name]?: z.input<Schema> }
    : Record<never, never> extends z.input<Schema>
      ? { [Key in Name]?: z.input<Schema> }
      : { [Key in Name]: z.input<Schema> }
  : Record<never, never>;

/** What an operation takes: the parameters of its path, its query and its body, those that it has. */
export type Input<E extends Endpoint> = Part<'params', E['params']> &
  Part<'query', E['query']> &
  Part<'body', E['body']>;

type Operation<E extends Endpoint> =
  Record<never, never> extends Input<E>
    ? (input?: Input<E>) => Promise<ResponseOf<E>>
    : (input: Input<E>) => Promise<ResponseOf<E>>;

/** One method for each operation of the contract. */
export type Client<C extends Contract> = { [Key in keyof C]: Operation<C[Key]> };

/** What operations throw: the server's error, and the id under which the server logged the request. */
export type ClientError = ApiError & { requestId?: string };

interface Options extends Retrying {
  /** The server's address without `/v1`. */
  url: string;
  token?: string | undefined;
  userAgent?: string;
}

interface Parts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** A typed client made from the contract. It reads its own writes: each answer's bookmark goes with the next request. */
export function createClient<const C extends Contract>(contract: C, options: Options): Client<C> {
  let bookmark: string | null = null;

  async function call(endpoint: Endpoint, { params, query, body }: Parts = {}): Promise<unknown> {
    const headers = new Headers({ accept: 'application/json' });
    if (options.token) headers.set('authorization', `Bearer ${options.token}`);
    if (options.userAgent) headers.set('user-agent', options.userAgent);
    if (bookmark) headers.set('octavo-bookmark', bookmark);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const url = addressOf(options.url, endpoint.path, { params, query });
    const init = { method: endpoint.method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await fetchWithRetries(url, init, options);
    bookmark = answer.response.headers.get('octavo-bookmark') ?? bookmark;
    return readAnswer(answer);
  }

  const operations = Object.entries(contract).map(([id, endpoint]) => [id, (input?: Parts) => call(endpoint, input)]);
  return Object.fromEntries(operations);
}
