import type { InProcessWorker, Settings } from '@octavo/runtime';

/** A worker behind the gateway, wherever it runs. */
type Worker = Fetcher | InProcessWorker;

interface RateLimitBinding {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** The gateway has no database: it knows paths, limits and the workers behind them. */
export interface GatewayEnvironment extends Settings {
  CONTENT: Worker;
  COLLABORATION: Worker;
  ORG_ADMIN: Worker;
  PUBLISHING: Worker;
  INTEGRATIONS: Worker;
  ASSETS: Fetcher;
  /** The header in which whatever stands before the gateway gives the client's address; empty where nothing does. */
  OCTAVO_CLIENT_ADDRESS_HEADER?: string;
  /** How many requests of each kind a caller may send in a minute, where not as many as usual; `off` for any number. */
  OCTAVO_RATE_LIMITS?: string;
  /** `1` where this isolate is the only one, so that its counts are all there are. */
  OCTAVO_ONE_ISOLATE?: string;
  LIMIT_SEARCHES?: RateLimitBinding;
  LIMIT_JOBS?: RateLimitBinding;
  LIMIT_SIGN_INS?: RateLimitBinding;
  LIMIT_WRONG_TOKENS?: RateLimitBinding;
}
