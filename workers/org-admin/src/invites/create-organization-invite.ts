import type { Database, Row } from '@octavo/db';
import { invites, must, number, retryOnConflict, spaceJoins } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { BodyOf, orgAdmin } from '@octavo/schema';
import { conflict, newId, notFound, preconditionFailed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import type { InviteContent } from './invite-record.ts';
import { contentColumns, contentJoins, readContent } from './invite-record.ts';
import { presentInvite } from './present-invite.ts';

const maxLinksPerOrganization = 1000;

export const createOrganizationInvite: Handler<typeof orgAdmin.createOrganizationInvite, OrgAdminEnvironment> = async (
  { body },
  { db, organization, membership, actor, commit, urls },
) => {
  const id = newId('invite');
  const named = namedBy(body);
  const row = {
    id,
    organization: organization.id,
    object: named?.id ?? null,
    role: 'role' in body ? body.role : body.level,
    createdBy: actor.id,
    createdAt: Date.now(),
  };
  const mayBeMade = must(
    db,
    sql`EXISTS (SELECT 1 ${place(row)} AND o.invite_links
    AND (${row.object} IS NULL OR s.id IS NOT NULL OR c.id IS NOT NULL) AND ${linksOf(row.organization)} < ${maxLinksPerOrganization})`,
  );
  const content = await retryOnConflict(async () => {
    const found = await findPlace(db, row, named?.kind);
    await commit(
      [mayBeMade, db.insert(invites).values(row)],
      [{ type: 'invite.created', organization: organization.id, data: { invite: id } }],
    );
    return found;
  });
  return presentInvite({ ...row, ...content }, membership, urls);
};

interface Place {
  organization: string;
  object: string | null;
}

function namedBy(
  body: BodyOf<typeof orgAdmin.createOrganizationInvite>,
): { kind: 'space' | 'collection'; id: string } | undefined {
  if ('space' in body) return { kind: 'space', id: body.space };
  return 'collection' in body ? { kind: 'collection', id: body.collection } : undefined;
}

const linksOf = (organization: string): SQL => sql`(SELECT COUNT(*) FROM invites WHERE organization = ${organization})`;

const place = ({ organization, object }: Place): SQL => sql`
  FROM organizations o ${contentJoins(sql`${object}`, sql`o.id`)} ${spaceJoins} WHERE o.id = ${organization}`;

/** What the link is to lead onto. @throws ApiError not_found, precondition_failed, conflict */
async function findPlace(db: Database, at: Place, kind: 'space' | 'collection' | undefined): Promise<InviteContent> {
  const rows = await db.all<Row>(sql`
    SELECT o.invite_links, ${linksOf(at.organization)} AS links, ${contentColumns} ${place(at)}`);
  const row = rows[0] ?? {};
  const content = readContent(row);
  if (kind !== undefined && content[kind] === undefined) throw notFound(kind);
  if (row.invite_links !== 1) throw preconditionFailed('Invite links are switched off in this organization.');
  if (number(row, 'links') >= maxLinksPerOrganization) {
    throw conflict(`An organization has at most ${maxLinksPerOrganization} invite links.`);
  }
  return content;
}
