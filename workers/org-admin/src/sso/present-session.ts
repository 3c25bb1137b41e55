import type { PageContext } from '@octavo/runtime';
import { html, htmlPage } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { clearCookie } from './browser-cookie.ts';

interface Session {
  token: string;
  organization: OrganizationId;
  title: string;
  expiresAt: number;
}

/** Shows a new session's token: as a page, or as JSON to whoever asks for that. */
export function presentSession(
  { token, organization, title, expiresAt }: Session,
  request: Request,
  { env, urls }: PageContext<OrgAdminEnvironment>,
): Response {
  const wantsJson = request.headers.get('accept')?.split(',')[0]?.split(';')[0]?.trim() === 'application/json';
  const answer = wantsJson
    ? Response.json(
        { token, organization, expiresAt: timestamp(expiresAt) },
        { headers: { 'cache-control': 'no-store' } },
      )
    : htmlPage({
        title: `Signed in to ${title}`,
        body: html`<p>This is your token. It acts in this organization only, until ${timestamp(expiresAt).slice(0, 16).replace('T', ' ')} UTC, and it is shown this once:</p>
<p><code id="token">${token}</code></p>
<p>For example:</p>
<p><code>curl -H 'Authorization: Bearer ${token}' ${urls.location(`/orgs/${organization}`)}</code></p>`,
      });
  answer.headers.append('set-cookie', clearCookie(env.OCTAVO_PUBLIC_URL));
  return answer;
}
