import { setTimeout as sleep } from 'node:timers/promises';

export interface Retrying {
  fetch?: typeof fetch;
  /** How often a request is sent at most; 6 by default. */
  attempts?: number;
  /** The longest wait between two attempts, in milliseconds; one minute by default. */
  maxWaitMs?: number;
}

/** A response and its body, which has arrived whole. */
export interface Answer {
  response: Response;
  text: string;
}

const firstWaitMs = 200;

/**
 * Sends a request again after 429 with `Retry-After`, and, where it only reads, after a network error, 502 or 503:
 * a write may have been done although its answer was lost.
 */
export async function fetchWithRetries(url: string, init: RequestInit, options: Retrying): Promise<Answer> {
  const { fetch: send = fetch, attempts = 6, maxWaitMs = 60_000 } = options;
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt >= attempts;
    const backOffMs = Math.min(firstWaitMs * 2 ** (attempt - 1), maxWaitMs);
    let waitMs: number | undefined;
    try {
      const response = await send(url, init);
      const text = await response.text();
      waitMs = waitAfter(response, init.method === 'GET', backOffMs);
      if (last || waitMs === undefined || waitMs > maxWaitMs) return { response, text };
    } catch (error) {
      if (last || init.method !== 'GET') throw error;
      waitMs = backOffMs;
    }
    await sleep(waitMs);
  }
}

function waitAfter(response: Response, reads: boolean, backOffMs: number): number | undefined {
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
  }
  return reads && (response.status === 502 || response.status === 503) ? backOffMs : undefined;
}
