import type { Database, Membership } from '@octavo/db';
import type { OrganizationId, UserId } from '@octavo/schema';
import { SignJWT } from 'jose';
import { installationKey } from './installation-key.ts';

interface Visitor {
  issuer: string;
  organization: OrganizationId;
  user: UserId;
  role: Membership['role'];
}

/** A token that tells a site of ours, for an hour, who its visitor is. */
export async function signVisitorClaims(db: Database, { issuer, organization, user, role }: Visitor): Promise<string> {
  return new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(organization)
    .setSubject(user)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await installationKey(db, 'visitor-claims'));
}
