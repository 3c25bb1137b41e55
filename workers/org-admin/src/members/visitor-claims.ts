import type { Database, Membership, Parameter } from '@octavo/db';
import { getOnlyRow, installationKeys, prepareQuery, readRow, runBatch, selection } from '@octavo/db';
import type { OrganizationId, UserId } from '@octavo/schema';
import { createRandomString } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { SignJWT } from 'jose';

interface Visitor {
  issuer: string;
  organization: OrganizationId;
  user: UserId;
  role: Membership['role'];
}

/** Signs a token that identifies a visitor to the sites of the organization for one hour. */
export async function signVisitorClaims(db: Database, { issuer, organization, user, role }: Visitor): Promise<string> {
  return new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(organization)
    .setSubject(user)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await readInstallationKey(db, 'visitor-claims'));
}

const secretLength = 64;

const keyByName = prepareQuery(selection({ secret: installationKeys.secret }), (select, name: Parameter<string>) =>
  select.from(installationKeys).where(eq(installationKeys.name, name)),
);

/** Returns the installation-wide secret with a name. The secret is created when it is used for the first time. */
async function readInstallationKey(db: Database, name: string): Promise<Uint8Array> {
  const key = await readRow(db, keyByName(name));
  return new TextEncoder().encode(key?.secret ?? (await createMember(db, name)));
}

/** If several requests create the secret at once, one insert wins and all of them read its secret. */
async function createMember(db: Database, name: string): Promise<string> {
  const { key } = await runBatch(db, {
    made: db.run(
      sql`INSERT OR IGNORE INTO installation_keys (name, secret) VALUES (${name}, ${createRandomString(secretLength)})`,
    ),
    key: keyByName(name),
  });
  return getOnlyRow(key).secret;
}
