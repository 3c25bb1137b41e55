import type { Contract, Endpoint, ResponseOf } from '@octavo/schema';
import { bookmarkHeader, bookmarkOf, serverTiming } from './cost-headers.ts';
import type { Settings } from './environment.ts';
import { errorResponse } from './errors.ts';
import { respond } from './respond.ts';

/** An operation whose answer follows from the software and its settings alone: it needs no database and no caller. */
export type Constant<E extends Endpoint, Env> = (env: Env) => ResponseOf<E>;

export type Constants<C extends Contract, Env> = { [Name in keyof C]: Constant<C[Name], Env> };

const noCost = serverTiming({ trips: 0, rowsRead: 0, rowsWritten: 0 }, false);

interface Asked {
  endpoint: Endpoint;
  request: Request;
  env: Settings;
  requestId: string;
}

/** Answers as an operation with a database does that asks it nothing. */
export function answerConstant({ endpoint, request, env, requestId }: Asked, result: unknown): Response {
  try {
    const bookmark = bookmarkOf(request.headers);
    const response = respond({ endpoint, authorized: {}, request, env, params: {}, tag: undefined }, result);
    response.headers.set('server-timing', noCost);
    if (bookmark !== undefined) response.headers.set(bookmarkHeader, bookmark);
    return response;
  } catch (error) {
    return errorResponse(error, requestId);
  }
}
