import type { Check, Database, Parameter } from '@octavo/db';
import {
  commitChecked,
  decodeTimeCursor,
  hashToken,
  paginate,
  prepareQuery,
  readRows,
  selection,
  tokenPrefix,
  tokens,
} from '@octavo/db';
import type { ActorContext } from '@octavo/runtime';
import type {
  BodyOf,
  List,
  OrganizationId,
  orgAdmin,
  PageQuery,
  ResponseOf,
  Scope,
  UserId,
  UserToken,
} from '@octavo/schema';
import { conflict, createId, createRandomString, formatTimestamp, invalid, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { desc, getTableColumns, sql } from 'drizzle-orm';

/**
 * The owner of API tokens. If `organization` is set, only the tokens that are bound to it are included: a bound caller may
 * only see those.
 */
export interface TokenOwner {
  user: UserId;
  organization: OrganizationId | null;
}

type OwnerValues = { [Key in keyof TokenOwner]: TokenOwner[Key] | Parameter<TokenOwner[Key]> };

/** The condition that a token belongs to its owner. It includes the tokens of sessions. */
export const isOfOwner = ({ user, organization }: OwnerValues): SQL =>
  sql`${tokens.user} = ${user} AND (${organization} IS NULL OR ${tokens.organization} = ${organization})`;

const belongsToOwner = (owner: OwnerValues): SQL => sql`${isOfOwner(owner)} AND ${tokens.session} IS NULL`;

const tokensOf = prepareQuery(
  selection(getTableColumns(tokens)),
  (
    select,
    user: Parameter<UserId>,
    organization: Parameter<OrganizationId | null>,
    time: Parameter<number>,
    id: Parameter<string>,
    limit: Parameter<number>,
  ) =>
    select
      .from(tokens)
      .where(sql`${belongsToOwner({ user, organization })} AND (${tokens.createdAt}, ${tokens.id}) < (${time}, ${id})`)
      .orderBy(desc(tokens.createdAt), desc(tokens.id))
      .limit(limit),
);

/** Lists the newest tokens first. */
export async function listTokens(db: Database, owner: TokenOwner, query: PageQuery): Promise<List<UserToken>> {
  const rows = await readRows(
    db,
    tokensOf(owner.user, owner.organization, ...decodeTimeCursor(query.page), query.limit + 1),
  );
  return paginate(rows, query.limit, { item: presentToken, getCursor: (row) => [row.createdAt, row.id] });
}

/**
 * Deletes a token. If several requests delete it at the same time, only one of them succeeds. @throws ApiError
 * not_found
 */
export async function deleteToken(
  { db, commit }: Pick<ActorContext, 'commit'> & { db: Database },
  owner: TokenOwner,
  id: string,
): Promise<void> {
  const owned = sql`${tokens.id} = ${id} AND ${belongsToOwner(owner)}`;
  const tokenCheck = {
    condition: sql`EXISTS (SELECT 1 FROM ${tokens} WHERE ${owned})`,
    createError: () => notFound('token'),
  };
  await commitChecked(db, [tokenCheck], (guards) =>
    commit(
      [...guards, db.delete(tokens).where(owned)],
      [{ type: 'token.deleted', ...getOrganization(owner), data: { token: id } }],
    ),
  );
}

const getOrganization = ({ organization }: Pick<TokenOwner, 'organization'>): { organization?: OrganizationId } =>
  organization === null ? {} : { organization };

const maxTokensPerUser = 100;

type Create = typeof orgAdmin.createUserToken;

interface TokenRequest {
  owner: TokenOwner;
  wanted: BodyOf<Create>;
  /** A check that must hold when the token is written. */
  check: Check;
}

/** Creates a token and deletes the expired tokens of the same user. */
export async function mintToken(
  { db, commit }: Pick<ActorContext, 'commit'> & { db: Database },
  mint: TokenRequest,
): Promise<ResponseOf<Create>> {
  const { owner, wanted } = mint;
  const { token, row } = await createToken({ ...owner, ...wanted, expiresAt: getExpiry(wanted.expiresAt) });
  const write = [
    db.delete(tokens).where(sql`${tokens.user} = ${owner.user} AND ${tokens.expiresAt} <= ${Date.now()}`),
    db.insert(tokens).values(row),
  ];
  await commitChecked(db, [mint.check, createTokenLimitCheck(owner)], (guards) =>
    commit([...guards, ...write], [{ type: 'token.created', ...getOrganization(owner), data: { token: row.id } }]),
  );
  return { ...presentToken(row), token };
}

function getExpiry(expiresAt: string | undefined): number | undefined {
  if (expiresAt === undefined) return undefined;
  const end = Date.parse(expiresAt);
  if (end > Date.now()) return end;
  throw invalid([{ path: 'body.expiresAt', message: 'must be in the future' }]);
}

/** Counts unexpired API tokens with the same organization. */
const createTokenLimitCheck = ({ user, organization }: TokenOwner): Check => ({
  condition: sql`(SELECT COUNT(*) FROM tokens WHERE user = ${user} AND organization IS ${organization} AND session IS NULL
    AND (expires_at IS NULL OR expires_at > ${Date.now()})) < ${maxTokensPerUser}`,
  createError: () => conflict(`A user can have at most ${maxTokensPerUser} tokens.`),
});

const secretLength = 40;

interface TokenFor {
  user: UserId;
  label: string;
  scopes?: Scope[] | undefined;
  expiresAt?: number | undefined;
  /** The organization that the token is bound to, if any. */
  organization?: OrganizationId | null | undefined;
}

/** Creates the secret of a token (238 bits) and its hash. Only the hash is stored. */
export async function createSecret(): Promise<{ token: string; hash: string }> {
  const token = tokenPrefix + createRandomString(secretLength);
  return { token, hash: await hashToken(token) };
}

/** Creates a token and its row. */
export async function createToken({ user, label, scopes, expiresAt, organization }: TokenFor) {
  const { token, hash } = await createSecret();
  const row = {
    id: createId('token'),
    user,
    label,
    hash,
    scopes: scopes ?? null,
    createdAt: Date.now(),
    expiresAt: expiresAt ?? null,
    organization: organization ?? null,
    lastUsedAt: null,
    integration: null,
    installation: null,
    depth: 0,
    session: null,
    endsAt: null,
    parent: null,
  } satisfies typeof tokens.$inferInsert;
  return { token, row };
}

const presentToken = (row: typeof tokens.$inferSelect): UserToken => ({
  object: 'user-token',
  id: row.id,
  label: row.label,
  createdAt: formatTimestamp(row.createdAt),
  ...(row.lastUsedAt === null ? {} : { lastUsedAt: formatTimestamp(row.lastUsedAt) }),
  ...(row.scopes === null ? {} : { scopes: row.scopes }),
  ...(row.expiresAt === null ? {} : { expiresAt: formatTimestamp(row.expiresAt) }),
});
