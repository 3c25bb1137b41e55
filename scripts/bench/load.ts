import autocannon from 'autocannon';
import { type Api, type ApiRequest, prepare } from './api.ts';

/** Requests without a response after this time are failures. */
const TIMEOUT_SECONDS = 30;
/** The interval of samples in milliseconds. autocannon stops at the first sample after the end of the load. */
const SAMPLE_MS = 10;

interface LoadOptions {
  api: Api;
  /** The requests, which are sent in turn over all connections. */
  requests: ApiRequest[];
  connections: number;
  seconds: number;
}

export interface Load {
  /** Number of successful responses. */
  succeeded: number;
  perSecond: number;
  /** The median response time in milliseconds. */
  p50: number;
  p99: number;
  /** Number of failures by reason: the status and the start of the body, or what happened to the connection. */
  failures: Record<string, number>;
}

/** The sent request that a connection waits for. */
interface Pending {
  request: ApiRequest;
  sent: number;
}

const getPercentile = (sorted: readonly number[], percent: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;

/** Loads a server with one request at a time on each connection. Requests in flight at the end are not counted. */
export async function runLoad({ api, requests, connections, seconds }: LoadOptions): Promise<Load> {
  const templates = requests.map((request) => ({ request, next: prepare(api, request) }));
  const milliseconds: number[] = [];
  const failures: Record<string, number> = {};
  const fail = (reason: string, times = 1): void => {
    if (times > 0) failures[reason] = (failures[reason] ?? 0) + times;
  };
  let [sent, received] = [0, 0];

  // The context belongs to one connection, which calls `setupRequest` before each request and `onResponse` after it.
  const setupRequest = (defaults: autocannon.Request, context: object): autocannon.Request => {
    const template = templates[sent % templates.length];
    if (template === undefined) throw new Error('A load needs at least one request.');
    sent += 1;
    Object.assign(context, { request: template.request, sent: performance.now() } satisfies Pending);
    return { ...defaults, ...template.next() };
  };
  const onResponse = (status: number, body: string, context: object): void => {
    const pending = context as Pending;
    received += 1;
    const { status: expected = 200, bodyStart = '' } = pending.request;
    if (status === expected && body.startsWith(bodyStart)) milliseconds.push(performance.now() - pending.sent);
    else fail(`${status} ${body.slice(0, bodyStart.length)}`.trim());
  };

  const began = performance.now();
  const { errors, timeouts } = await autocannon({
    url: api.url,
    connections,
    duration: seconds,
    sampleInt: SAMPLE_MS,
    timeout: TIMEOUT_SECONDS,
    requests: [{ setupRequest, onResponse }],
  });
  const elapsed = (performance.now() - began) / 1000;
  fail(`no response within ${TIMEOUT_SECONDS} s`, timeouts);
  fail('connection error', errors - timeouts);
  // Each connection has one request in flight at the end. autocannon reports no error if the server closes a
  // connection.
  fail('connection closed before the response', sent - received - errors - connections);
  milliseconds.sort((a, b) => a - b);
  return {
    succeeded: milliseconds.length,
    perSecond: milliseconds.length / elapsed,
    p50: getPercentile(milliseconds, 50),
    p99: getPercentile(milliseconds, 99),
    failures,
  };
}
