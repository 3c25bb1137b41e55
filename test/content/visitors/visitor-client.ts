import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Claims, VisitorToken } from '@octavo/schema';
import { makeSite } from '../../publishing/sites/site-client.ts';
import { query } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient } from '../space-client.ts';

/** Returns a visitor token like the one from resolving a published URL. */
export function signVisitorToken(organization: string, site: string, more: Partial<VisitorToken> = {}) {
  const [row] = query<{ stamp: string }>('SELECT stamp FROM sites WHERE id = ?', site);
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const { claims = {}, preview, shareLink: link, expires = exp, stamp = row?.stamp } = more;
  const said = {
    org: organization,
    site,
    stamp,
    link,
    claims,
    preview,
    iss: 'octavo',
    aud: 'octavo:visitor',
    exp: expires,
  };
  const parts = [{ alg: 'HS256', typ: 'JWT' }, said].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const secret = readFileSync(path.join(platform().dataDir, 'secret'), 'utf8').trim();
  const key = createHmac('sha256', secret).update('octavo\ntokens of visitors').digest();
  return [...parts, createHmac('sha256', key).update(parts.join('.')).digest('base64url')].join('.');
}

/** Publishes a site with one space. Returns clients for a member and for visitors. */
export async function publishSite(owner?: TestOrganization) {
  const server = platform();
  const organization = owner ?? (await server.makeOrganization());
  const space = await server.makeSpace({ organization });
  const member = getClient(server, space);
  const site = await makeSite(organization, { spaces: [space.id] });
  await site.publish();
  const visit = (claims: Claims = {}, more: Partial<VisitorToken> = {}) => {
    const token = signVisitorToken(organization.id, site.id, { claims, ...more });
    return { token, ...getClient(server, { id: space.id, token }) };
  };
  return { organization, site, member, space, visit };
}
