import { IttyRouter } from 'itty-router/IttyRouter';

/** A method and path pattern with the target they route to. */
export interface Route<Target> {
  /** `ALL` is any method. */
  method: string;
  /** In itty-router's syntax: `:name` is one segment, a last `:name+` one or more, and a last `/*` anything below. */
  path: string;
  target: Target;
}

export interface RouteMatch<Target> {
  target: Target;
  /** The path's parameters as they are encoded there. */
  params: Record<string, string>;
}

/**
 * Finds the first route that matches a method and a path. itty-router compiles the routes. Its own `fetch` is not used: it
 * parses the URL again, writes into the request, and cannot be called synchronously.
 */
export class RouteMatcher<Target> {
  readonly #routes: (Route<Target> & { pattern: RegExp })[];
  readonly #trailingSlash: 'ignored' | 'refused';

  constructor(routes: readonly Route<Target>[], { trailingSlash }: { trailingSlash: 'ignored' | 'refused' }) {
    this.#trailingSlash = trailingSlash;
    this.#routes = routes.flatMap((route) =>
      IttyRouter()
        .all(route.path)
        .routes.map(([, pattern]) => ({ ...route, pattern })),
    );
  }

  match(method: string, pathname: string): RouteMatch<Target> | undefined {
    for (const route of this.#routes) {
      if (route.method !== method && route.method !== 'ALL') continue;
      const found = route.pattern.exec(pathname);
      if (found !== null && this.#endsAs(route, pathname)) return { target: route.target, params: { ...found.groups } };
    }
    return undefined;
  }

  /** itty-router ignores any number of trailing slashes, and matches the path above a last `/*`. */
  #endsAs({ path }: Route<Target>, pathname: string): boolean {
    if (path.endsWith('/*')) return pathname.length >= path.length - 1;
    if (path.endsWith('+') || !pathname.endsWith('/')) return true;
    return this.#trailingSlash === 'refused' ? pathname === path : !pathname.endsWith('//');
  }
}
