import type { Environment } from './environment.ts';

/** The absolute URLs that answers carry, from the configured base. */
export function urlsOf(env: Pick<Environment, 'OCTAVO_PUBLIC_URL'>) {
  const base = env.OCTAVO_PUBLIC_URL.replace(/\/$/, '');
  return {
    /** The object's address in the API; `path` starts with a slash and has no `/v1`. */
    location: (path: string): string => `${base}/v1${path}`,
    /** The object's page in the web application. */
    app: (path: string): string => `${base}/app${path}`,
    /** A page of the platform itself; `path` starts with a slash. */
    page: (path: string): string => `${base}${path}`,
  };
}

export type Urls = ReturnType<typeof urlsOf>;
