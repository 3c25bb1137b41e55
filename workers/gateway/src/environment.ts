/** The gateway has no database: it knows paths, limits and the workers behind them. */
export interface GatewayEnvironment {
  CONTENT: Fetcher;
  COLLABORATION: Fetcher;
  ORG_ADMIN: Fetcher;
  PUBLISHING: Fetcher;
  INTEGRATIONS: Fetcher;
  ASSETS: Fetcher;
  OCTAVO_PUBLIC_URL: string;
}
