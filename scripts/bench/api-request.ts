/** Stands for a number in a path or a body: each sending gets the next one, in as many digits. */
export const counter = '@COUNTER';

/** A request as an adapter describes it; answers that are not as it says count as failed. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: unknown;
  /** 200 where it is left out. */
  status?: number;
  /** What the body of each answer begins with, where a failure has the same status. */
  bodyStart?: string;
  /** What the body of an answer holds; looked for in single calls, not under load. */
  contains?: string;
}
