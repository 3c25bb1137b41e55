import type { Endpoint } from '@octavo/schema';
import type { Environment } from './environment.ts';
import { urlsOf } from './urls.ts';

interface Made {
  urls?: { location?: string };
  [field: string]: unknown;
}

interface Answered {
  params: Record<string, string>;
  made: Made;
  env: Environment;
}

/**
 * The address of what a request made: its `urls.location`, else the endpoint's `location`, else its path with the new id.
 * The names in a template are parameters of the path and fields of the answer.
 */
export function locationOf({ path, location }: Endpoint, { params, made, env }: Answered): string {
  if (made.urls?.location !== undefined) return made.urls.location;
  const filled = (location ?? `${path}/:id`).replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name] ?? made[name])),
  );
  return urlsOf(env).page(filled);
}
