import {
  abortUnless,
  comments,
  commitChecked,
  decodeCursor,
  isAfterCursor,
  isListedUser,
  memberRow,
  paginate,
  paginateMatches,
  readRows,
  scanRows,
} from '@octavo/db';
import { getMentions } from '@octavo/markdown';
import type { HandlerInput, SpaceScope } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type {
  ChangeRequestId,
  CommentSubject,
  CommentSuggestion,
  collaboration,
  NewEvent,
  TargetState,
  UserId,
} from '@octavo/schema';
import { createId, invalid, targetNotFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { and, eq, sql } from 'drizzle-orm';
import type { BranchContext } from '../discussion/discussion.ts';
import {
  addReactions,
  createBranchChecks,
  createCommentCheck,
  createMentionChecks,
  getBranch,
  getCursor,
  readBodyText,
  requireAuthor,
  requireDelete,
  selectWeight,
  toCommentData,
  toEventScope,
} from '../discussion/discussion.ts';
import {
  createEmojiChecks,
  hasReactionChange,
  readReactions,
  toReactionChange,
  writeReactions,
} from '../discussion/reactions.ts';
import { handler } from '../handler.ts';
import { presentComment, presentComments, presentWithState } from './presenter.ts';
import type { CommentRecord } from './queries.ts';
import { findComment, selectComment, selectComments, toCommentRecord } from './queries.ts';

type Query = HandlerInput<typeof collaboration.listCommentsInSpace>['query'];

export const listComments = handler('listComments', {
  reads: ({ query }, scope) =>
    selectComments({ selection: selectKeys(query, scope), order: query.order, viewer: sql`${scope.user}` }),
  handle: async ({ query }, context, { rows, reactions }) => {
    const reacted = readReactions(reactions);
    const { items, ...page } = paginateMatches(rows, query.limit, {
      item: (row) => addReactions(row, reacted),
      getCursor,
    });
    return { ...page, items: await presentComments(items, query.format, context) };
  },
});

/**
 * Returns the keys of the selected comments. The index is fixed, so that the planner never chooses another one that
 * requires sorting. Other filters are applied while reading.
 */
function selectKeys(query: Query, { branch, space }: Pick<SpaceScope, 'branch' | 'space'>): SQL {
  const { index, where, filters: remainingFilters } = choosePlan(query);
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const { order } = query;
  return scanRows({
    columns: sql`c.id, c.created_at, c.author, c.resolved_at AS closed_at, ${selectWeight(query.format)}`,
    from: sql`FROM comments c INDEXED BY ${sql.raw(index)}
      WHERE c.branch = ${branch} AND c.space = ${space} AND ${where}
        AND ${isAfterCursor(cursor, sql`c.created_at`, sql`c.id`, order)}`,
    order: order === 'desc' ? sql`c.created_at DESC, c.id DESC` : sql`c.created_at, c.id`,
    matches: remainingFilters.length === 0 ? undefined : sql`(${sql.join(remainingFilters, sql` AND `)})`,
    limit: query.limit,
  });
}

interface Plan {
  index: string;
  where: SQL;
  /** Filters that the index does not cover. */
  filters: SQL[];
}

function choosePlan({ status, targetPage, authors }: Query): Plan {
  const [author] = authors ?? [];
  const byStatus = status === 'all' ? [] : [status === 'open' ? sql`closed_at IS NULL` : sql`closed_at IS NOT NULL`];
  const byAuthor =
    authors === undefined ? [] : [sql`author IN (SELECT value FROM json_each(${JSON.stringify(authors)}))`];
  if (targetPage !== undefined)
    return { index: 'comments_by_page', where: sql`c.page = ${targetPage}`, filters: [...byStatus, ...byAuthor] };
  if (author !== undefined && authors?.length === 1)
    return { index: 'comments_by_author', where: sql`c.author = ${author}`, filters: byStatus };
  if (status === 'open') return { index: 'comments_open', where: sql`c.resolved_at IS NULL`, filters: byAuthor };
  if (status === 'resolved')
    return { index: 'comments_resolved', where: sql`c.resolved_at IS NOT NULL`, filters: byAuthor };
  return { index: 'comments_by_time', where: sql`1`, filters: byAuthor };
}

export const getComment = handler('getComment', async ({ params, query }, context) =>
  presentComment(await findComment(params.commentId, context), query.format, context),
);

type Body = HandlerInput<typeof collaboration.postCommentInSpace>['body'];

export const postComment = handler('postComment', async ({ body: { body, page, node, ...input } }, context) => {
  const { db, space, actor, point, commit } = context;
  const suggested = 'suggestion' in input ? input.suggestion?.markdown : undefined;
  const text = readBodyText(body);
  const mentions = getMentions(text);
  const state = await readState({ page, node, suggestion: suggested }, context);
  const id = createId('comment');
  const posted = {
    id,
    space: space.id,
    organization: space.organization,
    branch: getBranch(context),
    ...(state === undefined ? {} : toSubject(state, node)),
    revision: point.id,
    author: actor.id,
    body: text,
    ...(suggested === undefined ? {} : { suggestion: toSuggestion(suggested, state) }),
    createdAt: Date.now(),
  };
  const { shown } = await commitChecked(
    db,
    [...createBranchChecks(context), ...createMentionChecks(mentions, context)],
    (guards) =>
      commit({ guards, write: db.insert(comments).values(posted), shown: selectComment(id, context) }, [
        { type: 'comment.created', ...toEventScope(context), data: { ...toCommentData(id, context), mentions } },
      ]),
  );
  return presentWithState(toCommentRecord(shown), state, { format: 'markdown', context });
});

/** @throws ApiError invalid unless the comment is on a top-level block and the suggestion changes only this block */
function toSuggestion(markdown: string, state: TargetState | undefined): CommentSuggestion {
  const { source: before, changesMore } = state?.node ?? {};
  const refuse = (message: string) => invalid([{ path: 'body.suggestion', message }]);
  if (before === undefined) throw refuse('requires `node` to be a block of the page that is not inside another block');
  if (before === markdown.trim()) throw refuse('must differ from the text of the block');
  if (changesMore === true)
    throw refuse(
      'would change more than the block: other blocks or the fields of the page. Close all code blocks, comments and tags in it, and use no frontmatter',
    );
  return { before, markdown };
}

interface Subject {
  page?: string;
  node?: string;
  document?: string;
  about?: CommentSubject;
}

/** Reads the current page and node of a new comment. Undefined if it has no page. @throws ApiError invalid */
async function readState(
  { page, node, suggestion }: Pick<Body, 'page' | 'node'> & { suggestion: string | undefined },
  context: BranchContext,
): Promise<TargetState | undefined> {
  const { env, callWorker, space, point } = context;
  if (page === undefined) {
    if (node === undefined) return undefined;
    throw invalid([{ path: 'body.node', message: 'requires `page`' }]);
  }
  const target = { page, ...(node === undefined ? {} : { node, suggestion }) };
  const reading = { space: space.id, lineage: point.lineage, targets: [target] };
  const [state] = await callWorker((bookmark) => env.CONTENT.readTargets(reading, bookmark));
  return state ?? { outdated: true };
}

/** @throws ApiError not_found if the page or node does not exist */
function toSubject(state: TargetState, node: string | undefined): Subject {
  if (state.page === undefined) throw targetNotFound('page', 'page');
  if (node !== undefined && (state.node === undefined || state.outdated)) throw targetNotFound('node', 'node');
  const preview = state.node?.preview;
  return {
    page: state.page.id,
    ...(state.document === undefined ? {} : { document: state.document }),
    ...(state.node === undefined ? {} : { node: state.node.id }),
    about: { page: state.page, ...(preview === undefined ? {} : { preview }) },
  };
}

/**
 * Changes text, resolution and reactions in one commit. A value that equals the current one changes nothing. The
 * new text may mention former members whom the previous text mentions.
 */
export const updateComment = handler('updateComment', async ({ params: { commentId: id }, body }, context) => {
  const { db, space, actor, commit } = context;
  const text = body.body === undefined ? undefined : readBodyText(body.body);
  const mentions = text === undefined ? [] : getMentions(text);
  const mentionedBefore = mentions.length === 0 ? [] : getMentions((await findComment(id, context)).body);
  const added = mentions.filter((user) => !mentionedBefore.includes(user));
  const reactions = toReactionChange(body);
  const checks = [
    createCommentCheck(id, context),
    ...createBranchChecks(context),
    ...createMentionChecks(added, context),
  ];
  const record = await commitChecked(db, [...checks, ...createEmojiChecks(id, reactions)], async (guards) => {
    const comment = await findComment(id, context);
    if (text !== undefined) requireAuthor(comment, context);
    const change = toChange(comment, { text, resolved: body.resolved }, actor.id);
    const hasChange = Object.keys(change).length > 0;
    if (!hasChange && !hasReactionChange(reactions)) return comment;
    const write = [
      abortUnless(db, isUnchanged(comment)),
      ...(hasChange ? [db.update(comments).set(change).where(eq(comments.id, id))] : []),
      ...writeReactions(db, reactions, { object: id, space: space.id, user: actor.id }),
    ];
    const data = toCommentData(id, context);
    const changed: NewEvent[] = hasReactionChange(reactions)
      ? [{ type: 'comment.reactions_changed', ...toEventScope(context), data }]
      : [];
    const events = [
      ...toEvents(change, data, { mentions, added }).map((event) => ({ ...toEventScope(context), ...event })),
      ...changed,
    ];
    const { shown } = await commit({ guards, write, shown: selectComment(id, context) }, events);
    return toCommentRecord(shown);
  });
  return presentComment(record, 'markdown', context);
});

interface CommentUpdate {
  text: string | undefined;
  resolved: boolean | undefined;
}

type Change = Partial<Pick<typeof comments.$inferInsert, 'body' | 'editedAt' | 'resolvedAt' | 'resolvedBy'>>;

function toChange(comment: CommentRecord, { text, resolved }: CommentUpdate, user: UserId): Change {
  const now = Date.now();
  const isNewText = text !== undefined && text !== comment.body;
  const isTurned = resolved !== undefined && resolved !== (comment.resolvedAt !== null);
  return {
    ...(isNewText ? { body: text, editedAt: now } : {}),
    ...(isTurned ? { resolvedAt: resolved ? now : null, resolvedBy: resolved ? user : null } : {}),
  };
}

/** Condition that the comment was neither resolved nor reopened since it was read. */
const isUnchanged = ({ id, resolvedAt }: CommentRecord) =>
  sql`EXISTS (SELECT 1 FROM comments WHERE id = ${id} AND resolved_at IS ${resolvedAt})`;

function toEvents(
  change: Change,
  data: { comment: string; changeRequest?: ChangeRequestId },
  { mentions, added }: { mentions: string[]; added: string[] },
) {
  const { body, resolvedAt } = change;
  return [
    ...(body === undefined
      ? []
      : [{ type: 'comment.updated' as const, data: { ...data, mentions }, addedMentions: added }]),
    ...(resolvedAt === undefined
      ? []
      : [{ type: resolvedAt === null ? ('comment.reopened' as const) : ('comment.resolved' as const), data }]),
  ];
}

/** A trigger deletes its replies and reactions. */
export const deleteComment = handler('deleteComment', async ({ params: { commentId: id } }, context) => {
  const { db, space, commit } = context;
  requireDelete(await findComment(id, context), context);
  await commitChecked(db, [...createBranchChecks(context), createCommentCheck(id, context)], (guards) =>
    commit(
      [...guards, db.delete(comments).where(and(eq(comments.id, id), eq(comments.space, space.id)))],
      [{ type: 'comment.deleted', ...toEventScope(context), data: toCommentData(id, context) }],
    ),
  );
  return undefined;
});

/** Lists current members who commented, by id. Guests, who cannot list members, find only themselves. */
export const listCommenters = handler('listCommenters', async ({ query }, context) => {
  const { db, space, actor, isGuest, urls } = context;
  const cursor = decodeCursor(query.page, ['string']);
  const commenters = memberRow.query(sql`
    SELECT ${memberRow} FROM contributors k
    CROSS JOIN members m ON m.organization = ${space.organization} AND m.user = k.user CROSS JOIN users u ON u.id = k.user
    WHERE k.branch = ${getBranch(context)} AND k.action = 'comment' AND k.space = ${space.id} AND ${isListedUser(sql`k.user`)}
      AND ${isGuest ? sql`k.user = ${actor.id}` : sql`1`} AND k.user > ${cursor?.[0] ?? ''}
    ORDER BY k.user LIMIT ${query.limit + 1}`);
  return paginate(await readRows(db, commenters), query.limit, {
    item: (member) => presentMember(member, urls),
    getCursor: ({ user }) => [user.id],
  });
});
