import type { Cursor, RecordOf, UserRecord } from '@octavo/db';
import { type commentReplies, comments, createUserFields, fitFields, fitRows, fromQuery, users } from '@octavo/db';
import { presentUser } from '@octavo/runtime';
import type { CommentPermissions, ContentFormat, Reaction, User, UserId } from '@octavo/schema';
import { formatTimestamp, isAtLeast } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { BranchContext } from './branch.ts';
import type { ReactionRecord } from './reactions.ts';
import { maxListedUsers } from './reactions.ts';

/**
 * The fields that comments and replies share. The query needs the tables `comments` or `comment_replies`, and `users
 * author`.
 */
export const getPostedFields = (posted: typeof comments | typeof commentReplies) => ({
  body: posted.body,
  editedAt: posted.editedAt,
  author: createUserFields(aliasedTable(users, 'author')),
});

type PostedFields = ReturnType<typeof getPostedFields>;

interface Posted {
  id: string;
  createdAt: number;
  reactions: ReactionRecord[];
}

export type PostedRecord = Posted & RecordOf<PostedFields>;

/** The columns of the keys of posts that are read by id. */
export const keyFields = {
  id: fromQuery(comments.id),
  createdAt: fromQuery(comments.createdAt),
  ...fitFields,
};

/** The columns `matches` and `place` for posts that are read without filters. */
export const matchColumns = sql`1 AS matches, NULL AS place`;

type KeyRecord = RecordOf<typeof keyFields>;

/**
 * Approximate maximum size of a list response, in characters: the length of the texts, plus `userSize` for each
 * reacting user.
 */
const maxResponseSize = 2_000_000;
const userSize = 256;

/**
 * Approximate worst-case length of a text in each format, as a multiple of its markdown. Documents are long because
 * they list every cell of a table.
 */
const weights: Record<ContentFormat, number> = { markdown: 1, document: 8 };

/** Selects the column `weight` for keys whose texts are returned in this format. */
export const selectWeight = (format: ContentFormat): SQL => sql.raw(`${weights[format]} AS weight`);

/** Selects the keys `f` (with `weight`) whose posts fit into one response. */
export function selectFittingPosts(table: 'comments' | 'comment_replies', selection: SQL, order: SQL): SQL {
  const size = sql`f.weight * (SELECT octet_length(body) FROM ${sql.raw(table)} WHERE id = f.id) + ${sql.raw(String(userSize))} * COALESCE(
    (SELECT SUM(MIN(count, ${sql.raw(String(maxListedUsers))})) FROM reaction_counts WHERE object = f.id), 0)`;
  return fitRows({ match: sql`SELECT f.*, ${size} AS size FROM (${selection}) f`, order, maxBytes: maxResponseSize });
}

/** Orders keys `f` by time. */
export const selectTimeOrder = (order: 'asc' | 'desc'): SQL =>
  order === 'desc' ? sql`f.created_at DESC, f.id DESC` : sql`f.created_at, f.id`;

export const getCursor = ({ createdAt, id }: KeyRecord): Cursor => [createdAt, id];

export function addReactions<Record extends RecordOf<PostedFields>>(
  { id, createdAt, posted }: KeyRecord & { posted: Record | null },
  reactions: ReadonlyMap<string, ReactionRecord[]>,
): Record & Posted {
  if (posted === null) throw new TypeError('The row contains no comment or reply.');
  return { ...posted, id, createdAt, reactions: reactions.get(id) ?? [] };
}

type Viewing = Pick<BranchContext, 'actor' | 'isGuest' | 'role' | 'urls'>;

/** Presents a user to the caller: guests see no e-mail addresses but their own. */
export const presentPerson = (user: UserRecord, { actor, isGuest, urls }: Viewing): User =>
  presentUser(user, urls, { email: !isGuest || user.id === actor.id });

export function presentPosted({ id, author, createdAt, editedAt, reactions }: PostedRecord, context: Viewing) {
  return {
    id,
    postedBy: presentPerson(author, context),
    postedAt: formatTimestamp(createdAt),
    ...(editedAt === null ? {} : { editedAt: formatTimestamp(editedAt) }),
    reactions: reactions.map(
      ({ users, ...reaction }): Reaction => ({
        ...reaction,
        users: users.map(({ user, reactedAt }) => ({
          user: presentPerson(user, context),
          reactedAt: formatTimestamp(reactedAt),
        })),
      }),
    ),
    permissions: getPermissions(author.id, context),
  };
}

/** Returns the caller's rights on a user's comment or reply. */
export function getPermissions(author: UserId, { actor, role }: Pick<Viewing, 'actor' | 'role'>): CommentPermissions {
  const comments = isAtLeast(role, 'comment');
  const isAuthor = comments && author === actor.id;
  return {
    view: isAtLeast(role, 'read'),
    edit: isAuthor,
    reply: comments,
    react: comments,
    delete: isAuthor || isAtLeast(role, 'create'),
  };
}
