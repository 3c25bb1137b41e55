/** How many of each kind of request one caller may send in a minute, where a setting says nothing else. */
export const defaultRateLimits = {
  /** Whatever is of no kind of its own. */
  requests: 600_000,
  searches: 3000,
  /** What begins work that goes on after the answer: imports, copies, PDFs, specifications, mail. */
  jobs: 600,
  /** The pages to sign in by, from one address. */
  'sign-ins': 60,
  /** Requests with a token that is not known, by the token and from one address. */
  'wrong-tokens': 60,
} as const;

export type RateKind = keyof typeof defaultRateLimits;
/** 0 stands for no limit. */
export type RateLimits = Record<RateKind, number>;

export const ratePeriodSeconds = 60;

/**
 * Reads the setting of rate limits: `off`, or numbers for a minute that replace the usual ones, such as
 * `searches=300, jobs=0`. @throws Error with a sentence that names what is wrong
 */
export function readRateLimits(setting: string): RateLimits {
  const limits: RateLimits = { ...defaultRateLimits };
  const text = setting.trim();
  if (text === 'off') return { requests: 0, searches: 0, jobs: 0, 'sign-ins': 0, 'wrong-tokens': 0 };
  for (const part of text === '' ? [] : text.split(',')) {
    const [, kind = '', count] = /^\s*([a-z-]+)\s*=\s*(\d{1,9})\s*$/.exec(part) ?? [];
    if (!Object.hasOwn(limits, kind)) {
      const kinds = Object.keys(limits).join(', ');
      throw new Error(`"${part.trim()}" is no rate limit: it takes off, or numbers as in searches=300 for ${kinds}.`);
    }
    limits[kind as RateKind] = Number(count);
  }
  return limits;
}
