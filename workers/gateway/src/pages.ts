import { apiVersion, contracts } from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';
import { favicon } from './favicon.ts';
import { openApiDocument } from './openapi.ts';
import { referenceContentSecurityPolicy, referencePage, referenceScriptPath } from './reference.ts';

const page = (body: string, contentSecurityPolicy: string): Response =>
  new Response(body, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': contentSecurityPolicy },
  });

/** What the gateway answers itself, outside the API; undefined where it has nothing at that path. */
export function pageAt(
  method: string,
  pathname: string,
  env: GatewayEnvironment,
): Response | Promise<Response> | undefined {
  if (method !== 'GET') return undefined;
  if (pathname === '/') return new Response(null, { status: 302, headers: { location: '/reference' } });
  if (pathname === '/health') return Response.json({ status: 'ok' });
  if (pathname === '/openapi.json')
    return Response.json(openApiDocument(contracts, { url: env.OCTAVO_PUBLIC_URL, version: apiVersion }));
  if (pathname === '/reference') return page(referencePage(), referenceContentSecurityPolicy);
  if (pathname === referenceScriptPath) return script(pathname, env);
  if (pathname === '/favicon.ico') return favicon();
  return undefined;
}

/** The binding tells no type on one machine, and no time to keep it there. */
async function script(pathname: string, env: GatewayEnvironment): Promise<Response> {
  const { body, status } = await env.ASSETS.fetch(`http://assets${pathname}`);
  const headers = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=3600' };
  return new Response(body, { status, headers: status === 200 ? headers : {} });
}
