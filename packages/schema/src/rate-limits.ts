/** Default rate limits: requests of each kind that a caller may send per minute. */
export const defaultRateLimits = {
  /** Requests that belong to no other kind. */
  requests: 600_000,
  searches: 3000,
  /** Requests that start background work: imports, copies, PDFs, specifications, mail. */
  jobs: 600,
  /** Ratings of pages by readers. */
  ratings: 600,
  /** Requests for sign-in pages, counted for each client address. */
  'sign-ins': 60,
  /** Requests with an unknown token, for each token and client address. */
  'wrong-tokens': 60,
} as const;

export type RateKind = keyof typeof defaultRateLimits;
/** The maximum number of requests per minute, by kind; 0 means no limit. */
export type RateLimits = Record<RateKind, number>;

export const ratePeriodSeconds = 60;

/**
 * Parses the rate limit setting: `off`, or limits per minute that replace the defaults, such as `searches=300, jobs=0`.
 * @throws Error that describes the problem
 */
export function readRateLimits(setting: string): RateLimits {
  const limits: RateLimits = { ...defaultRateLimits };
  const text = setting.trim();
  if (text === 'off') return { requests: 0, searches: 0, jobs: 0, ratings: 0, 'sign-ins': 0, 'wrong-tokens': 0 };
  for (const part of text === '' ? [] : text.split(',')) {
    const [, kind = '', count] = /^\s*([a-z-]+)\s*=\s*(\d{1,9})\s*$/.exec(part) ?? [];
    if (!Object.hasOwn(limits, kind)) {
      const kinds = Object.keys(limits).join(', ');
      throw new Error(
        `"${part.trim()}" is not a rate limit. Use off, or limits per minute such as searches=300 for ${kinds}.`,
      );
    }
    limits[kind as RateKind] = Number(count);
  }
  return limits;
}
