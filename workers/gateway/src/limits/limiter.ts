import type { ApiError, RateKind, RateLimits } from '@octavo/schema';
import { rateLimited, ratePeriodSeconds, readRateLimits } from '@octavo/schema';
import type { GatewayEnvironment } from '../environment.ts';
import type { Count } from './windows.ts';
import { isOverLimit, Windows } from './windows.ts';

const maxKeys = 10_000;

export interface CountResult extends Count {
  kind: RateKind;
  isOverLimit: boolean;
}

/** The counts per minute of one kind of request, with the platform's own counter if there are many isolates. */
export class Limiter {
  readonly kind: RateKind;
  readonly #windows = new Windows(maxKeys);

  constructor(kind: RateKind) {
    this.kind = kind;
  }

  /**
   * Counts a request for a key. Returns undefined if it is not limited. A key that many senders share has a multiple of
   * the limit.
   */
  async take(env: GatewayEnvironment, key: string, factor = 1): Promise<CountResult | undefined> {
    const limit = getLimits(env)[this.kind] * factor;
    if (limit === 0) return undefined;
    const count = this.#windows.take(key, limit, Date.now());
    if (factor > 1 || isOverLimit(count) || (await this.#isUnderLimit(env, key))) return this.#toResult(count);
    return this.#toResult(this.#windows.exhaust(key, limit, Date.now()));
  }

  /** Returns the count of a key that has used up its limit, otherwise undefined. */
  countExceeded(env: GatewayEnvironment, key: string, factor = 1): CountResult | undefined {
    const limit = getLimits(env)[this.kind] * factor;
    const count = this.#windows.peek(key, limit, Date.now());
    return limit > 0 && count.count >= limit ? this.#toResult(count) : undefined;
  }

  #toResult(count: Count): CountResult {
    return { ...count, kind: this.kind, isOverLimit: isOverLimit(count) };
  }

  /**
   * On one machine, the counts of the only isolate are complete. At Cloudflare, a binding counts the requests in one
   * Cloudflare location.
   */
  async #isUnderLimit(env: GatewayEnvironment, key: string): Promise<boolean> {
    const binding = env.OCTAVO_ONE_ISOLATE === '1' || this.kind === 'requests' ? undefined : env[bindings[this.kind]];
    return binding === undefined || (await binding.limit({ key })).success;
  }
}

const bindings = {
  searches: 'LIMIT_SEARCHES',
  jobs: 'LIMIT_JOBS',
  ratings: 'LIMIT_RATINGS',
  'sign-ins': 'LIMIT_SIGN_INS',
  'wrong-tokens': 'LIMIT_WRONG_TOKENS',
} as const;

let cachedLimits: { setting: string; limits: RateLimits } | undefined;

function getLimits({ OCTAVO_RATE_LIMITS: setting = '' }: GatewayEnvironment): RateLimits {
  if (cachedLimits?.setting !== setting) cachedLimits = { setting, limits: readRateLimits(setting) };
  return cachedLimits.limits;
}

/** Reports a count to the client, in the headers of GitBook's API and in those of the proposed standard. */
export function setCountHeaders(headers: Headers, { kind, limit, count, ends }: CountResult): void {
  const remaining = String(Math.max(0, limit - count));
  headers.set('x-ratelimit-limit', String(limit));
  headers.set('x-ratelimit-remaining', remaining);
  headers.set('x-ratelimit-reset', String(Math.ceil(ends / 1000)));
  headers.set('ratelimit-policy', `"${kind}";q=${limit};w=${ratePeriodSeconds}`);
  headers.set('ratelimit', `"${kind}";r=${remaining};t=${getSecondsUntil(ends)}`);
}

const getSecondsUntil = (ends: number): number => Math.max(1, Math.ceil((ends - Date.now()) / 1000));

export function createTooMany({ kind, limit, ends }: CountResult): ApiError {
  const seconds = getSecondsUntil(ends);
  return rateLimited(
    `Rate limit of ${limit} ${kind.replace('-', ' ')} per minute exceeded. Try again in ${seconds} s.`,
    seconds,
  );
}
