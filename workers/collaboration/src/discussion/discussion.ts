import type {
  ChangeRequestRecord,
  Check,
  Cursor,
  commentReplies,
  RecordOf,
  RevisionPoint,
  SpaceRecord,
  UserRecord,
} from '@octavo/db';
import {
  comments,
  createUserFields,
  fitFields,
  fitRows,
  fromQuery,
  isListedUser,
  selectSpaceRank,
  users,
} from '@octavo/db';
import {
  getMentions,
  maxMentions,
  parseTree,
  publishTree,
  readJsonTree,
  renderTree,
  TreeError,
} from '@octavo/markdown';
import type { ActorContext, BaseContext } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type {
  ChangeRequestId,
  CommentBody,
  CommentBodyInput,
  CommentPermissions,
  ContentFormat,
  Reaction,
  Role,
  SpaceId,
  User,
  UserId,
} from '@octavo/schema';
import { conflict, forbidden, formatTimestamp, invalid, isAtLeast, maxCommentBytes, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';
import type { ReactionRecord } from './reactions.ts';
import { maxListedUsers } from './reactions.ts';

/** The context of an operation on a space or on one of its change requests. */
export interface BranchContext extends BaseContext<CollaborationEnvironment>, ActorContext {
  space: SpaceRecord;
  role: Role | null;
  isGuest: boolean;
  /** The head of the branch. */
  point: RevisionPoint;
  changeRequest?: ChangeRequestRecord;
}

/** The id of the branch that comments belong to: the space (live content) or the change request. */
export const getBranch = ({ space, changeRequest }: Pick<BranchContext, 'space' | 'changeRequest'>): string =>
  changeRequest?.id ?? space.id;

/** The API path of the branch's comments. */
export const getCommentsPath = ({
  space,
  changeRequest,
}: {
  space: { id: SpaceId };
  changeRequest?: { id: ChangeRequestId } | undefined;
}): string =>
  changeRequest === undefined
    ? `/spaces/${space.id}/comments`
    : `/spaces/${space.id}/change-requests/${changeRequest.id}/comments`;

/** The data that all events of a comment have. */
export const toCommentData = (comment: string, { changeRequest }: Pick<BranchContext, 'changeRequest'>) => ({
  comment,
  ...(changeRequest === undefined ? {} : { changeRequest: changeRequest.id }),
});

/** The organization and space of an event. */
export const toEventScope = ({ space }: Pick<BranchContext, 'space'>) => ({
  organization: space.organization,
  space: space.id,
});

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

/** The columns of a key, by which a post is read: its id, its creation time, and the fields of `fitRows`. */
export const keyFields = {
  id: fromQuery(comments.id),
  createdAt: fromQuery(comments.createdAt),
  ...fitFields,
};

/** The columns `matches` and `place` of a query without filters: every post matches. */
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
  const suggestion = table === 'comments' ? ' + COALESCE(octet_length(suggestion), 0)' : '';
  const size = sql`(SELECT f.weight * octet_length(body)${sql.raw(suggestion)} FROM ${sql.raw(table)} WHERE id = f.id) + ${sql.raw(String(userSize))} * COALESCE(
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

/** The caller for whom a post is presented. */
export type ViewerContext = Pick<BranchContext, 'actor' | 'isGuest' | 'role' | 'urls'>;

/** Presents a user to the caller: guests see no e-mail addresses but their own. */
export const presentPerson = (user: UserRecord, { actor, isGuest, urls }: ViewerContext): User =>
  presentUser(user, urls, { email: !isGuest || user.id === actor.id });

export function presentPosted({ id, author, createdAt, editedAt, reactions }: PostedRecord, context: ViewerContext) {
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
function getPermissions(author: UserId, { actor, role }: Pick<ViewerContext, 'actor' | 'role'>): CommentPermissions {
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

/** Returns checks that the space, and the change request if there is one, still exist. */
export function createBranchChecks({ space, changeRequest }: Pick<BranchContext, 'space' | 'changeRequest'>): Check[] {
  const inSpace: Check = {
    condition: sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space.id} AND organization = ${space.organization} AND deleted_at IS NULL)`,
    createError: () => notFound('space'),
  };
  if (changeRequest === undefined) return [inSpace];
  const inChangeRequest: Check = {
    condition: sql`EXISTS (SELECT 1 FROM change_requests WHERE id = ${changeRequest.id} AND space = ${space.id})`,
    createError: () => notFound('change request'),
  };
  return [inSpace, inChangeRequest];
}

/** Checks that the comment exists on the branch. */
export const createCommentCheck = (id: string, context: BranchContext): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM comments
    WHERE id = ${id} AND branch = ${getBranch(context)} AND space = ${context.space.id})`,
  createError: () => notFound('comment'),
});

/** @throws ApiError forbidden unless the caller may edit the post */
export function requireAuthor({ author }: PostedRecord, context: BranchContext): void {
  if (!getPermissions(author.id, context).edit) throw forbidden('Only the author can edit this.');
}

/** @throws ApiError forbidden unless the caller may delete the post */
export function requireDelete({ author }: PostedRecord, context: BranchContext): void {
  if (!getPermissions(author.id, context).delete)
    throw forbidden('Only the author and people who manage the space can delete this.');
}

/**
 * Checks that all mentioned users are active members who may open the space. Guests, who cannot list members, may only
 * mention themselves. @throws ApiError invalid
 */
export function createMentionChecks(
  mentions: string[],
  { space, actor, isGuest }: BranchContext,
  path = 'body.body',
): Check[] {
  const mentioned = mentions.filter((user) => user !== actor.id);
  if (mentioned.length === 0) return [];
  if (isGuest) throw createMentionError(path, mentioned.join(', '));
  const member = { user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` };
  const strangers = sql`FROM json_each(${JSON.stringify(mentioned)}) mentioned WHERE NOT EXISTS (
    SELECT 1 FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND m.user = mentioned.value
      AND ${isListedUser(sql`m.user`)}
    WHERE s.id = ${space.id} AND ${selectSpaceRank(member)} > 0)`;
  return [
    {
      condition: sql`NOT EXISTS (SELECT 1 ${strangers})`,
      failingValue: sql`(SELECT group_concat(mentioned.value, ', ') ${strangers})`,
      createError: (ids) => createMentionError(path, ids ?? ''),
    },
  ];
}

const createMentionError = (path: string, ids: string) =>
  invalid([{ path: `${path}.markdown`, message: `must not mention users without access to the space: ${ids}` }]);

/**
 * Checks that the change request is neither merged nor archived, now and again when the write happens. @throws ApiError
 * conflict
 */
export function createOpenCheck({ id, space, status }: ChangeRequestRecord, action: string): Check {
  const createRefusal = (now: string | null) =>
    now === null ? notFound('change request') : conflict(`The change request is ${now} and cannot be ${action}.`);
  if (status === 'merged' || status === 'archived') throw createRefusal(status);
  const row = sql`FROM change_requests WHERE id = ${id} AND space = ${space}`;
  return {
    condition: sql`EXISTS (SELECT 1 ${row} AND status IN ('draft', 'open'))`,
    failingValue: sql`(SELECT status ${row})`,
    createError: createRefusal,
  };
}

/**
 * Returns the markdown of a body. `path` is the path of the body in the request.
 * @throws ApiError invalid
 */
export function readBodyText(body: CommentBodyInput, path = 'body.body'): string {
  const field = body.document === undefined ? `${path}.markdown` : `${path}.document`;
  const text = body.markdown ?? readTreeText(body.document, field);
  const fault = findFault(text);
  if (fault !== undefined) throw invalid([{ path: field, message: fault }]);
  return text;
}

function readTreeText(document: CommentBodyInput['document'], path: string): string {
  if (document === undefined) return '';
  try {
    return renderTree(readJsonTree(document));
  } catch (error) {
    if (error instanceof TreeError) throw invalid([{ path: `${path}.${error.path}`, message: error.message }]);
    throw error;
  }
}

function findFault(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  if (new TextEncoder().encode(text).length > maxCommentBytes) return 'must have at most 64 KiB';
  return getMentions(text).length > maxMentions ? `must mention at most ${maxMentions} users` : undefined;
}

/** Presents stored markdown in the requested format. */
export const presentBody = (markdown: string, format: ContentFormat): CommentBody =>
  format === 'document' ? { document: publishTree(parseTree(markdown, { sources: 'all' }), published) } : { markdown };

/** Returns the id of reusable content from its address. */
const parseContentId = (address: string): string | undefined => /^\/reusable-contents\/(\w{1,64})$/.exec(address)?.[1];

const published = { includes: parseContentId, tellsMissing: true, isKept: true };
