/** The gateway has no database: it knows paths, limits and the workers behind them. */
export interface GatewayEnvironment {
  CONTENT: Fetcher;
  COLLABORATION: Fetcher;
  ORG_ADMIN: Fetcher;
  PUBLISHING: Fetcher;
  INTEGRATIONS: Fetcher;
  ASSETS: Fetcher;
  OCTAVO_PUBLIC_URL: string;
  /** The header in which whatever stands before the gateway gives the client's address; empty where nothing does. */
  OCTAVO_CLIENT_ADDRESS_HEADER?: string;
}
