import type { Database } from '@octavo/db';
import {
  commit,
  computed,
  hashToken,
  must,
  organizations,
  parsed,
  readRow,
  retryOnConflict,
  samlProviders,
  samlRequests,
  selection,
  tokens,
} from '@octavo/db';
import type { PageContext } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import type { OrganizationId, SignInProfile, UserId } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { newToken } from '../users/new-token.ts';
import { accountOf } from './account.ts';
import { browserOf } from './browser-cookie.ts';
import { notUnderWay } from './consume-assertion.ts';
import { presentSession } from './present-session.ts';

const sessionMilliseconds = 12 * 60 * 60_000;
const maxSessions = 20;
const sessionLabel = 'SSO session';

/** Ends a sign-in in the browser that began it: gives the token of a session, this once. */
export async function finish(request: Request, context: PageContext<OrgAdminEnvironment>): Promise<Response> {
  const { db, env, background, params } = context;
  const code = new URL(request.url).searchParams.get('code');
  const browser = await browserOf(request);
  if (code === null || browser === undefined) throw notUnderWay();
  const underWay = { code: await hashToken(code), browser, provider: params.providerId ?? '' };
  const session = await retryOnConflict(async () => {
    const { id, title, signIn } = await findSignIn(db, underWay);
    const { user, writes, events } = await accountOf(db, signIn);
    const { organization } = signIn;
    const expiresAt = Math.min(
      Date.now() + sessionMilliseconds,
      signIn.profile.sessionEndsAt ?? Number.MAX_SAFE_INTEGER,
    );
    const { token, row } = await newToken({ user, label: sessionLabel, organization, expiresAt });
    const { waiting } = await commit(
      db,
      context.callerOf(user),
      [
        must(db, sql`EXISTS (SELECT 1 FROM saml_requests WHERE id = ${id})`),
        db.delete(samlRequests).where(sql`id = ${id}`),
        ...writes,
        ...endOldSessions(db, user, organization),
        db.insert(tokens).values(row),
      ],
      events,
    );
    sendEvents(env, background, waiting);
    return { token, organization, title, expiresAt };
  });
  return presentSession(session, request, context);
}

interface UnderWay {
  code: string;
  browser: string;
  provider: string;
}

const p = aliasedTable(samlProviders, 'p');
const underWayRow = selection({
  id: aliasedTable(samlRequests, 'r').id,
  profile: computed(parsed<SignInProfile>(), sql`r.profile`),
  organization: p.organization,
  defaultRole: p.defaultRole,
  defaultTeam: p.defaultTeam,
  title: aliasedTable(organizations, 'o').title,
});

async function findSignIn(db: Database, { code, browser, provider }: UnderWay) {
  const underWay = underWayRow.query(sql`
    SELECT ${underWayRow}
    FROM saml_requests r CROSS JOIN saml_providers p ON p.id = r.provider CROSS JOIN organizations o ON o.id = p.organization
    WHERE r.code = ${code} AND r.browser = ${browser} AND r.provider = ${provider} AND r.expires_at > ${Date.now()}`);
  const found = await readRow(db, underWay);
  if (found === undefined) throw notUnderWay();
  const { id, title, ...wanted } = found;
  return { id, title, signIn: { provider, ...wanted } };
}

/** Tokens that have expired, and the oldest sessions beyond the most that a member has at a time. */
const endOldSessions = (db: Database, user: UserId, organization: OrganizationId) => [
  db.delete(tokens).where(sql`user = ${user} AND expires_at <= ${Date.now()}`),
  db.delete(tokens).where(sql`id IN (
    SELECT t.id FROM tokens t WHERE t.user = ${user} AND t.organization = ${organization} AND t.label = ${sessionLabel} AND t.expires_at IS NOT NULL
    ORDER BY t.created_at DESC, t.id DESC LIMIT -1 OFFSET ${sql.raw(String(maxSessions - 1))})`),
];
