import type { PageContext, ServedPage } from '@octavo/runtime';
import { createSessionCookie } from '@octavo/runtime';
import type { OrgAdminEnvironment } from '../environment.ts';
import { replaceSecret } from './replace-secret.ts';

/** Replaces the secret of a session. Only the gateway calls this page: it has no route of its own. */
async function renew(request: Request, { db, env }: PageContext<OrgAdminEnvironment>): Promise<Response> {
  const renewed = await replaceSecret(db, request.headers.get('authorization')?.replace('Bearer ', '') ?? '');
  const headers: Record<string, string> =
    renewed === undefined ? {} : { 'set-cookie': createSessionCookie(env, renewed.token, renewed.endsAt) };
  return new Response(null, { status: 204, headers });
}

export const sessionPages: ServedPage<OrgAdminEnvironment>[] = [
  { method: 'POST', path: '/session/renew', handler: renew },
];
