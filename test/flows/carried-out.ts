import { randomUUID } from 'node:crypto';
import type { Endpoint } from '@octavo/schema';
import { supportsIdempotencyKey } from '@octavo/schema';
import { expect } from 'vitest';
import { query } from '../support/database.ts';
import type { RequestOptions } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

export interface Sent {
  id: string;
  endpoint: Endpoint;
  path: string;
}

/** Runs before a walk sends a request. */
export type BeforeCall = (sending: Sent, options: RequestOptions) => Promise<void>;

export interface CarriedOut {
  answer: Response;
  text: string;
}

/**
 * Sends a request and checks its status. If the operation accepts an Idempotency-Key, sends it again with the same key,
 * and checks that the response is the same and nothing is written.
 */
export async function carryOut({ id, endpoint, path }: Sent, options: RequestOptions): Promise<CarriedOut> {
  const headers: Record<string, string> = supportsIdempotencyKey(endpoint) ? { 'idempotency-key': randomUUID() } : {};
  const response = await platform().request(path, { ...options, headers });
  const text = await response.text();
  expect([id, response.status, response.status < 300 ? '' : text]).toEqual([id, endpoint.success, '']);
  if (supportsIdempotencyKey(endpoint))
    await repeat({ id, endpoint, path }, { answer: response, text }, { ...options, headers });
  return { answer: response, text };
}

async function repeat({ id, endpoint, path }: Sent, first: CarriedOut, options: RequestOptions): Promise<void> {
  const response = await platform().request(path, options);
  const text = await response.text();
  if (endpoint.secret) {
    const { id: made } = JSON.parse(first.text) as CreatedObject;
    expect([id, response.status, text]).toEqual([id, 409, expect.stringContaining(made ?? 'succeeded')]);
  } else {
    expect([id, response.status, response.headers.get('idempotency-replayed')]).toEqual([id, endpoint.success, 'true']);
    expect([id, response.headers.get('location'), text]).toEqual([
      id,
      first.answer.headers.get('location'),
      first.text,
    ]);
  }
  const request = response.headers.get('octavo-request-id');
  expect([id, query('SELECT type FROM outbox WHERE request_id = ?', request ?? '')]).toEqual([id, []]);
}

interface CreatedObject {
  id?: string;
}
