import type { InProcessWorker, Settings } from '@octavo/runtime';

/** A worker behind the gateway, wherever it runs. */
type Worker = Fetcher | InProcessWorker;

interface RateLimitBinding {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** The gateway has no database. It knows paths, limits and the workers behind it. */
export interface GatewayEnvironment extends Settings {
  CONTENT: Worker;
  COLLABORATION: Worker;
  ORG_ADMIN: Worker;
  PUBLISHING: Worker;
  INTEGRATIONS: Worker;
  /** The calls of the operator, on Cloudflare only. */
  OPERATOR?: Fetcher;
  ASSETS: Fetcher;
  /** The header in which a proxy in front of the gateway passes the client's address; empty without a proxy. */
  OCTAVO_CLIENT_ADDRESS_HEADER?: string;
  /**
   * The number of requests of each kind that a caller may send in a minute, if it differs from the defaults; `off`
   * disables the limits.
   */
  OCTAVO_RATE_LIMITS?: string;
  /** Set to `1` if this is the only isolate, so that its counts are complete. */
  OCTAVO_ONE_ISOLATE?: string;
  LIMIT_SEARCHES?: RateLimitBinding;
  LIMIT_JOBS?: RateLimitBinding;
  LIMIT_RATINGS?: RateLimitBinding;
  LIMIT_SIGN_INS?: RateLimitBinding;
  LIMIT_WRONG_TOKENS?: RateLimitBinding;
}
