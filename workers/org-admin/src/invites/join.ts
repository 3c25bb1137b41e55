import type { Database, Statement } from '@octavo/db';
import {
  abortUnless,
  fromQuery,
  grants,
  isActive,
  members,
  readRow,
  retryOnConflict,
  selectCollectionRank,
  selection,
  selectSpaceRank,
} from '@octavo/db';
import type { NewEvent, OrganizationId, Role, UserId } from '@octavo/schema';
import { forbidden, getRoleByRank, invalid, isAtLeast, notFound, preconditionFailed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { joinContent } from './queries.ts';

const stateRow = selection({ state: fromQuery(String) });

export const joinOrganization = handler('joinOrganization', async ({ params }, { db, actor, commit }) => {
  const organization = params.organizationId;
  const state = selectDomainState(organization, actor);
  await retryOnConflict(async () => {
    const stateRecord = await readRow(db, stateRow.query(state));
    if (stateRecord === undefined) throw notFound('organization');
    const { role, isMember } = requireDomain(JSON.parse(stateRecord.state) as DomainState);
    if (isMember === 1) return;
    await commit(
      [
        abortUnless(db, sql`(${state}) = ${stateRecord.state}`),
        db.insert(members).values({ organization, user: actor.id, role, joinedAt: Date.now() }),
      ],
      [{ type: 'member.added', organization, data: { user: actor.id } }],
    );
  });
  return undefined;
});

interface DomainState {
  kind: 'person' | 'service' | 'integration';
  isVerified: 0 | 1;
  isOfDomain: 0 | 1;
  sso: 0 | 1;
  /** The default role of new members. */
  role: Role | null;
  isMember: 0 | 1;
  disabled: 0 | 1 | null;
}

/** The state that decides whether the user may join, as one text. The write fails if this text has changed. */
const selectDomainState = (organization: OrganizationId, { id, email }: { id: string; email: string }): SQL => sql`
  SELECT json_object('kind', u.kind, 'isVerified', u.email_verified_at IS NOT NULL, 'isOfDomain', EXISTS (
      SELECT 1 FROM organization_domains d WHERE d.domain = ${getDomain(email)} AND d.organization = o.id),
    'sso', o.sso, 'role', o.default_role, 'isMember', m.user IS NOT NULL, 'disabled', m.disabled) AS state
  FROM organizations o
  CROSS JOIN users u ON u.id = ${id}
  LEFT JOIN members m ON m.organization = o.id AND m.user = u.id
  WHERE o.id = ${organization}`;

const getDomain = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

function requireDomain(state: DomainState): DomainState {
  if (state.disabled === 1) throw notFound('organization');
  if (state.isMember === 1) return state;
  if (state.isOfDomain === 0) throw notFound('organization');
  if (state.kind !== 'person') throw forbidden('A service account cannot join an organization.');
  if (state.isVerified === 0) {
    throw invalid([{ path: 'user.email', message: 'must be verified: sign in once with a link sent to it' }]);
  }
  if (state.sso === 1) throw preconditionFailed('This organization can only be joined through SSO.');
  return state;
}

/** Grants the link's role, unless the caller already has this role or a higher one. A link never lowers a role. */
export const joinOrganizationWithInvite = handler(
  'joinOrganizationWithInvite',
  async ({ params }, { db, actor, commit }) => {
    const joining = { organization: params.organizationId, invite: params.inviteId, user: actor.id };
    const state = selectInviteState(joining);
    await retryOnConflict(async () => {
      const stateRecord = await readState(db, state);
      const { statements, events } = createWrites(db, joining, requireInvite(stateRecord.state));
      if (events.length > 0)
        await commit([abortUnless(db, sql`(${state}) = ${stateRecord.text}`), ...statements], events);
    });
    return {};
  },
);

interface Joining {
  organization: OrganizationId;
  invite: string;
  user: UserId;
}

interface InviteState {
  kind: 'person' | 'service' | 'integration';
  inviteLinks: 0 | 1;
  sso: 0 | 1;
  /** The role that the link grants, and the space or collection. */
  role: Role | null;
  object: string | null;
  isSpace: 0 | 1;
  isMember: 0 | 1;
  disabled: 0 | 1 | null;
  /** The caller's effective rank on the object, and the role of the caller's own grant there (null: no access). */
  rank: number | null;
  isGranted: 0 | 1;
  granted: Role | null;
}

const member = { user: sql`m.user`, role: sql`m.role`, active: isActive(sql`NULL`) };

/** The state that decides whether the user may join, as one text. The write fails if this text has changed. */
const selectInviteState = ({ organization, invite, user }: Joining): SQL => sql`
  SELECT json_object('kind', u.kind, 'inviteLinks', o.invite_links, 'sso', o.sso,
    'role', i.role, 'object', i.object, 'isSpace', s.id IS NOT NULL,
    'isMember', m.user IS NOT NULL, 'disabled', m.disabled,
    'rank', CASE WHEN s.id IS NOT NULL THEN ${selectSpaceRank(member)} WHEN c.id IS NOT NULL THEN ${selectCollectionRank(member)} END,
    'isGranted', own.subject IS NOT NULL, 'granted', own.role) AS state
  FROM invites i
  CROSS JOIN organizations o ON o.id = i.organization
  CROSS JOIN users u ON u.id = ${user}
  LEFT JOIN members m ON m.organization = o.id AND m.user = u.id
  ${joinContent(sql`i.object`, sql`o.id`)}
  LEFT JOIN grants own ON own.object = i.object AND own.subject = u.id AND own.organization = o.id
  WHERE i.id = ${invite} AND i.organization = ${organization}
    AND (i.object IS NULL OR s.id IS NOT NULL OR c.id IS NOT NULL)`;

async function readState(db: Database, state: SQL): Promise<{ text: string; state: InviteState }> {
  const stateRecord = await readRow(db, stateRow.query(state));
  if (stateRecord === undefined) throw notFound('invite');
  return { text: stateRecord.state, state: JSON.parse(stateRecord.state) as InviteState };
}

/** Rejects users who may not join. A link must not admit disabled members or users with a "no access" grant. */
function requireInvite(state: InviteState): InviteState {
  if (state.kind !== 'person') throw forbidden('A service account cannot join an organization.');
  if (state.disabled === 1 || (state.isGranted === 1 && state.granted === null)) throw notFound('invite');
  if (state.inviteLinks !== 1) throw preconditionFailed('Invite links are disabled in this organization.');
  if (state.sso === 1) throw preconditionFailed('This organization can only be joined through SSO.');
  return state;
}

function createWrites(db: Database, { organization, user }: Joining, state: InviteState) {
  const { object, role } = state;
  const now = Date.now();
  const statements: Statement[] = [];
  const events: NewEvent[] = [];
  if (state.isMember === 0) {
    const joined = { organization, user, role: object === null ? role : null, joinedAt: now };
    statements.push(db.insert(members).values(joined));
    events.push({ type: 'member.added', organization, data: { user } });
  }
  const heldRoles = [getRoleByRank(state.rank), state.granted];
  if (object !== null && role !== null && !heldRoles.some((heldRole) => isAtLeast(heldRole, role))) {
    const grant = db.insert(grants).values({ object, subject: user, organization, role, createdAt: now });
    statements.push(grant.onConflictDoUpdate({ target: [grants.object, grants.subject], set: { role } }));
    const space = state.isSpace === 1 ? { space: object } : {};
    events.push({ type: 'permissions.changed', organization, ...space, data: { object, subjects: [user] } });
  }
  return { statements, events };
}
