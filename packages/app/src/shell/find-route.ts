import { matchPath } from '../router.ts';
import { type AppRoute, routes } from '../routes.ts';

/** Returns the route of a path and the values of its parameters by name. */
export function findRoute(path: string): { route: AppRoute; params: Record<string, string> } | undefined {
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}
