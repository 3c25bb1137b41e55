import { given, members, must, readRow, retryOnConflict, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { OrganizationId, orgAdmin, Role } from '@octavo/schema';
import { forbidden, invalid, notFound, preconditionFailed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

const stateRow = selection({ state: given(String) });

export const joinOrganization: Handler<typeof orgAdmin.joinOrganization, OrgAdminEnvironment> = async (
  { params },
  { db, actor, commit },
) => {
  const organization = params.organizationId;
  const state = stateOf(organization, actor);
  await retryOnConflict(async () => {
    const read = await readRow(db, stateRow.query(state));
    if (read === undefined) throw notFound('organization');
    const { role, isMember } = offered(JSON.parse(read.state) as State);
    if (isMember === 1) return;
    await commit(
      [
        must(db, sql`(${state}) = ${read.state}`),
        db.insert(members).values({ organization, user: actor.id, role, joinedAt: Date.now() }),
      ],
      [{ type: 'member.added', organization, data: { user: actor.id } }],
    );
  });
  return undefined;
};

interface State {
  kind: 'person' | 'service' | 'integration';
  isVerified: 0 | 1;
  isOfDomain: 0 | 1;
  sso: 0 | 1;
  /** The role that those who join get. */
  role: Role | null;
  isMember: 0 | 1;
  disabled: 0 | 1 | null;
}

/** All that joining is decided by, as one text: the write happens only while it is the same. */
const stateOf = (organization: OrganizationId, { id, email }: { id: string; email: string }): SQL => sql`
  SELECT json_object('kind', u.kind, 'isVerified', u.email_verified_at IS NOT NULL, 'isOfDomain', EXISTS (
      SELECT 1 FROM organization_domains d WHERE d.domain = ${domainOf(email)} AND d.organization = o.id),
    'sso', o.sso, 'role', o.default_role, 'isMember', m.user IS NOT NULL, 'disabled', m.disabled) AS state
  FROM organizations o
  CROSS JOIN users u ON u.id = ${id}
  LEFT JOIN members m ON m.organization = o.id AND m.user = u.id
  WHERE o.id = ${organization}`;

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

function offered(state: State): State {
  if (state.disabled === 1) throw notFound('organization');
  if (state.isMember === 1) return state;
  if (state.isOfDomain === 0) throw notFound('organization');
  if (state.kind !== 'person') throw forbidden('A service account cannot join an organization.');
  if (state.isVerified === 0) {
    throw invalid([{ path: 'user.email', message: 'must be verified: sign in once by a link mailed to it' }]);
  }
  if (state.sso === 1) throw preconditionFailed('This organization is joined through its SSO.');
  return state;
}
