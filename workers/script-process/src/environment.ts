/** What packages/platform/src/script-host/script-config.ts binds the worker to. */
export interface ProcessEnvironment {
  LOADER: WorkerLoader;
  /** The platform's own gateway, where it listens. */
  PLATFORM?: Fetcher;
  PUBLIC_URL: string;
  ALLOW_PRIVATE: string;
  ADDRESS_HEADER: string;
}
