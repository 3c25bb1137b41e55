import type { Check, RowsOf } from '@octavo/db';
import {
  commentReplies,
  commitChecked,
  decodeCursor,
  fromQuery,
  isAfterCursor,
  nullable,
  paginateMatches,
  runBatch,
  scanRows,
  selection,
} from '@octavo/db';
import { getMentions } from '@octavo/markdown';
import type { CommentReply, NewEvent } from '@octavo/schema';
import { conflict, createId, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';
import type { BranchContext, PostedRecord } from '../discussion/discussion.ts';
import {
  addReactions,
  createBranchChecks,
  createCommentCheck,
  createMentionChecks,
  getBranch,
  getCommentsPath,
  getCursor,
  getPostedFields,
  keyFields,
  matchColumns,
  presentBody,
  presentPosted,
  readBodyText,
  requireAuthor,
  requireDelete,
  selectFittingPosts,
  selectTimeOrder,
  selectWeight,
  toCommentData,
  toEventScope,
} from '../discussion/discussion.ts';
import {
  createEmojiChecks,
  hasReactionChange,
  readReactions,
  selectReactions,
  toReactionChange,
  writeReactions,
} from '../discussion/reactions.ts';
import { handler } from '../handler.ts';

const knownRow = selection({ known: fromQuery(Boolean) });

/** Lists the newest replies first. */
export const listCommentReplies = handler(
  'listCommentReplies',
  async ({ params: { commentId: comment }, query }, context) => {
    const { db, space, actor } = context;
    const cursor = decodeCursor(query.page, ['number', 'string']);
    const scan = scanRows({
      columns: sql`r.id, r.created_at, ${selectWeight(query.format)}`,
      from: sql`FROM comment_replies r INDEXED BY comment_replies_by_time WHERE r.comment = ${comment}
        AND r.branch = ${getBranch(context)} AND r.space = ${space.id} AND ${isAfterCursor(cursor, sql`r.created_at`, sql`r.id`)}`,
      order: sql`r.created_at DESC, r.id DESC`,
      matches: undefined,
      limit: query.limit,
    });
    const { known, replies } = await runBatch(db, {
      known: knownRow.query(sql`SELECT ${knownRow.with({ known: createCommentCheck(comment, context).condition })}`),
      replies: selectReplies(scan, actor.id),
    });
    if (!known[0]?.known) throw notFound('comment');
    const reacted = readReactions(replies.reactions);
    const { format, limit } = query;
    return paginateMatches(replies.rows, limit, {
      item: (row) => presentReply(addReactions(row, reacted), { comment, format, context }),
      getCursor,
    });
  },
);

export const getCommentReply = handler(
  'getCommentReply',
  async ({ params: { commentId: comment, commentReplyId: id }, query: { format } }, context) =>
    presentReply(await findReply({ comment, id }, context), { comment, format, context }),
);

const maxReplies = 1000;

export const postCommentReply = handler(
  'postCommentReply',
  async ({ params: { commentId: comment }, query, body }, context) => {
    const { db, space, actor, commit } = context;
    const text = readBodyText(body.body);
    const mentions = getMentions(text);
    const id = createId('reply');
    const posted = {
      id,
      comment,
      space: space.id,
      branch: getBranch(context),
      author: actor.id,
      body: text,
      createdAt: Date.now(),
    };
    const exists = [...createBranchChecks(context), createCommentCheck(comment, context)];
    const checks = [...exists, createReplyLimitCheck(comment), ...createMentionChecks(mentions, context)];
    const data = { ...toCommentData(comment, context), reply: id, mentions };
    const { shown } = await commitChecked(db, checks, (guards) =>
      commit(
        { guards, write: db.insert(commentReplies).values(posted), shown: selectReply({ comment, id }, context) },
        [{ type: 'comment_reply.created', ...toEventScope(context), data }],
      ),
    );
    return presentReply(requireReply(shown), {
      comment,
      format: 'format' in query ? query.format : 'markdown',
      context,
    });
  },
);

const createReplyLimitCheck = (comment: string): Check => ({
  condition: sql`(SELECT replies FROM comments WHERE id = ${comment}) < ${sql.raw(String(maxReplies))}`,
  createError: () => conflict(`A comment can have at most ${maxReplies} replies.`),
});

/**
 * Changes text and reactions in one commit. Users whom the previous text mentions can still be mentioned after they
 * have left.
 */
export const updateCommentReply = handler(
  'updateCommentReply',
  async ({ params: { commentId: comment, commentReplyId: id }, body }, context) => {
    const { db, space, actor, commit } = context;
    const replyKey = { comment, id };
    const text = body.body === undefined ? undefined : readBodyText(body.body);
    const mentions = text === undefined ? [] : getMentions(text);
    const mentionedBefore = mentions.length === 0 ? [] : getMentions((await findReply(replyKey, context)).body);
    const added = mentions.filter((user) => !mentionedBefore.includes(user));
    const reactions = toReactionChange(body);
    const checks = [
      createReplyCheck(replyKey, context),
      ...createBranchChecks(context),
      ...createMentionChecks(added, context),
    ];
    const record = await commitChecked(db, [...checks, ...createEmojiChecks(id, reactions)], async (guards) => {
      const reply = await findReply(replyKey, context);
      if (text !== undefined) requireAuthor(reply, context);
      const isNewText = text !== undefined && text !== reply.body;
      if (!isNewText && !hasReactionChange(reactions)) return reply;
      const edit = { body: text, editedAt: Date.now() };
      const write = [
        ...(isNewText ? [db.update(commentReplies).set(edit).where(eq(commentReplies.id, id))] : []),
        ...writeReactions(db, reactions, { object: id, space: space.id, user: actor.id }),
      ];
      const data = { ...toCommentData(comment, context), reply: id };
      const textChanged = { type: 'comment_reply.updated' as const };
      const events: NewEvent[] = [
        ...(isNewText
          ? [{ ...textChanged, ...toEventScope(context), data: { ...data, mentions }, addedMentions: added }]
          : []),
        ...(hasReactionChange(reactions)
          ? [{ type: 'comment.reactions_changed' as const, ...toEventScope(context), data }]
          : []),
      ];
      const { shown } = await commit({ guards, write, shown: selectReply(replyKey, context) }, events);
      return requireReply(shown);
    });
    return presentReply(record, { comment, format: 'markdown', context });
  },
);

export const deleteCommentReply = handler(
  'deleteCommentReply',
  async ({ params: { commentId: comment, commentReplyId: id } }, context) => {
    const { db, space, commit } = context;
    const replyKey = { comment, id };
    requireDelete(await findReply(replyKey, context), context);
    await commitChecked(db, [...createBranchChecks(context), createReplyCheck(replyKey, context)], (guards) =>
      commit(
        [
          ...guards,
          db.delete(commentReplies).where(and(eq(commentReplies.id, id), eq(commentReplies.space, space.id))),
        ],
        [
          {
            type: 'comment_reply.deleted',
            ...toEventScope(context),
            data: { ...toCommentData(comment, context), reply: id },
          },
        ],
      ),
    );
    return undefined;
  },
);

interface ReplyKey {
  comment: string;
  id: string;
}

const replyRow = selection({ ...keyFields, posted: nullable(getPostedFields(aliasedTable(commentReplies, 'r'))) });

/** Returns two statements that read replies. `selection` selects their `id`, `created_at`, `matches` and `weight`. */
function selectReplies(selection: SQL, viewer: string) {
  const keys = selectFittingPosts('comment_replies', selection, selectTimeOrder('desc'));
  return {
    rows: replyRow.query(sql`
      SELECT f.*, ${replyRow}
      FROM (${keys}) f LEFT JOIN comment_replies r ON r.id = f.id LEFT JOIN users author ON author.id = r.author
      ORDER BY ${selectTimeOrder('desc')}`),
    reactions: selectReactions(sql`SELECT f.id FROM (${keys}) f`, viewer),
  };
}

function selectReply({ comment, id }: ReplyKey, context: BranchContext) {
  const keys = sql`SELECT id, created_at, ${matchColumns}, ${selectWeight('markdown')} FROM comment_replies WHERE id = ${id} AND comment = ${comment}
    AND branch = ${getBranch(context)} AND space = ${context.space.id}`;
  return selectReplies(keys, context.actor.id);
}

/** @throws ApiError not_found */
function requireReply({ rows: [row], reactions }: RowsOf<ReturnType<typeof selectReply>>): PostedRecord {
  if (row === undefined) throw notFound('reply');
  return addReactions(row, readReactions(reactions));
}

/** @throws ApiError not_found */
const findReply = async (replyKey: ReplyKey, context: BranchContext): Promise<PostedRecord> =>
  requireReply(await runBatch(context.db, selectReply(replyKey, context)));

/** Checks that the reply exists on the branch. */
const createReplyCheck = ({ comment, id }: ReplyKey, context: BranchContext): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM comment_replies WHERE id = ${id} AND comment = ${comment}
    AND branch = ${getBranch(context)} AND space = ${context.space.id})`,
  createError: () => notFound('reply'),
});

interface Presenting {
  comment: string;
  format: 'markdown' | 'document';
  context: BranchContext;
}

const presentReply = (record: PostedRecord, { comment, format, context }: Presenting): CommentReply => ({
  object: 'comment-reply',
  ...presentPosted(record, context),
  body: presentBody(record.body, format),
  urls: { location: context.urls.location(`${getCommentsPath(context)}/${comment}/replies/${record.id}`) },
});
