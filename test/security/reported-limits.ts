import { expect } from 'vitest';

/** The rate limits with which the tested server runs. */
export const limits = { requests: 20, searches: 5, jobs: 4, ratings: 4, 'sign-ins': 4, 'wrong-tokens': 5 };
export type Kind = keyof typeof limits;

/** Checks the rate limit headers of responses. The last response must be the rejected one. */
export async function expectLimitHeaders(responses: Response[], kind: Kind): Promise<void> {
  const limit = limits[kind];
  for (const [index, { headers }] of responses.entries()) {
    const left = Math.max(0, limit - 1 - index);
    const reset = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000;
    expect(reset).toBeGreaterThan(0);
    expect(reset).toBeLessThanOrEqual(61);
    expect(headers.get('x-ratelimit-limit')).toBe(String(limit));
    expect(headers.get('x-ratelimit-remaining')).toBe(String(left));
    expect(headers.get('ratelimit-policy')).toBe(`"${kind}";q=${limit};w=60`);
    expect(headers.get('ratelimit')).toMatch(new RegExp(`^"${kind}";r=${left};t=\\d+$`));
  }
  const response = responses.at(-1);
  expect(response?.status).toBe(429);
  expect(Number(response?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(Number(response?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect(response?.headers.get('access-control-expose-headers')).toContain('x-ratelimit-remaining');
  const said = /Rate limit of \d+ [a-z ]+ per minute exceeded\. Try again in \d+ s\./;
  if (kind === 'sign-ins') {
    expect(response?.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response?.text()).toMatch(said);
    return;
  }
  expect(await response?.json()).toEqual({
    error: {
      code: 429,
      type: 'rate_limited',
      message: expect.stringMatching(said),
      requestId: expect.stringMatching(/^req_/),
    },
  });
}
