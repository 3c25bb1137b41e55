import type { AddressRedirect } from '../resolution/resolve-address.ts';
import { passParameter } from '../resolution/visitors.ts';
import { createNotFoundPage } from './serve-page.ts';

/** A page can get its former address back, so clients may only store configured redirects. */
const storage = { permanent: 'private, max-age=3600', moved: 'no-store', temporary: 'no-store' } as const;

/**
 * Redirects and keeps the query. A request body is forwarded only to the site's own new address, never to another
 * site.
 */
export function respondRedirect(
  { request: { method }, url }: { request: Request; url: URL },
  { target, redirect, permanence }: AddressRedirect,
): Response {
  if (method !== 'GET' && target !== 'content') return createNotFoundPage();
  const isPermanent = permanence === 'permanent' || permanence === 'moved';
  const status = isPermanent ? 308 : method === 'GET' ? 302 : 307;
  const location = permanence === undefined ? redirect : addQuery(redirect, url.searchParams);
  const headers = { location, 'cache-control': storage[permanence ?? 'temporary'] };
  return new Response(null, { status, headers });
}

/** Adds the parameters of a query to a URL, except credentials and those that the URL has. */
function addQuery(address: string, query: URLSearchParams): string {
  const url = new URL(address);
  const names = new Set(url.searchParams.keys());
  const added = [...query].filter(([name]) => name !== passParameter && !names.has(name));
  for (const [name, value] of added) url.searchParams.append(name, value);
  return added.length === 0 ? address : url.href;
}
