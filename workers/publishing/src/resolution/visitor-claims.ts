import type { SiteRecord } from '@octavo/db';
import type { Claims } from '@octavo/schema';
import { jwtVerify } from 'jose';
import type { PublishingEnvironment } from '../environment.ts';
import { authKeyOf } from '../keys/site-keys.ts';

const toleranceSeconds = 5;

/** The claims of a token that was signed with the site's key by HS256, and holds now; undefined for any other token. */
export async function readSignedClaims(
  env: PublishingEnvironment,
  site: Pick<SiteRecord, 'authKey'>,
  jwt: string,
): Promise<Claims | undefined> {
  const key = new TextEncoder().encode(await authKeyOf(env, site.authKey));
  const options = { algorithms: ['HS256'], clockTolerance: toleranceSeconds };
  const verified = await jwtVerify(jwt, key, options).catch(() => undefined);
  if (verified === undefined) return undefined;
  const { payload } = verified;
  const isFuture = payload.iat !== undefined && payload.iat > Date.now() / 1000 + toleranceSeconds;
  return isFuture ? undefined : (payload as Claims);
}
