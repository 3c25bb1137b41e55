import { deriveBytes } from '@octavo/runtime';
import type { OrganizationId, SiteId, UserId } from '@octavo/schema';
import { PreviewPassPayload } from '@octavo/schema';
import { jwtVerify, SignJWT } from 'jose';
import type { PublishingEnvironment } from '../environment.ts';

/** By whose rights a site is looked at before others may: signed, for an hour. */
export interface PreviewPass {
  organization: OrganizationId;
  site: SiteId;
  user: UserId;
  /** Seconds since 1970. */
  expires: number;
}

const [issuer, audience, algorithm] = ['octavo', 'octavo:preview', 'HS256'];
const lifetimeSeconds = 3600;
const keyOf = (env: PublishingEnvironment) => deriveBytes(env, 'previews of sites');

/** The parameter of an address that carries a pass: renderers take it along as that of a visitor who was vouched for. */
export const passParameter = 'jwt_token';

export const makePreviewPass = async (
  env: PublishingEnvironment,
  { organization, site, user }: Omit<PreviewPass, 'expires'>,
): Promise<string> =>
  new SignJWT({ org: organization, site, user })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(Math.floor(Date.now() / 1000) + lifetimeSeconds)
    .sign(await keyOf(env));

/** What a pass says; undefined where it is none of ours, or has expired. */
export async function readPreviewPass(
  env: PublishingEnvironment,
  jwt: string | null,
): Promise<PreviewPass | undefined> {
  if (jwt === null) return undefined;
  const verified = await jwtVerify(jwt, await keyOf(env), { algorithms: [algorithm], issuer, audience }).catch(
    () => undefined,
  );
  const payload = PreviewPassPayload.safeParse(verified?.payload).data;
  if (payload === undefined) return undefined;
  const { org: organization, site, user, exp: expires } = payload;
  return { organization, site, user, expires };
}
