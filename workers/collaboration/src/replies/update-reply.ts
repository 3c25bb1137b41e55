import type { Check } from '@octavo/db';
import { commentReplies, commitChecked } from '@octavo/db';
import { mentionsOf } from '@octavo/markdown';
import type { Input } from '@octavo/runtime';
import type { CommentReply, collaboration, NewEvent } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { bodyText } from '../comments/body.ts';
import type { BranchContext } from '../discussion/branch.ts';
import { branchOf, onComment, placeOf } from '../discussion/branch.ts';
import { branchExists, mayMention, requireAuthor } from '../discussion/checks.ts';
import { fewEmoji, isChange, reactionChange, writeReactions } from '../discussion/reactions.ts';
import { presentReply } from './present-reply.ts';
import type { ReplyPlace } from './reply-record.ts';
import { findReply, readFoundReply, selectReply } from './reply-record.ts';

type Body = Input<typeof collaboration.updateCommentReplyInSpace>['body'];

/** All of it or nothing: a text and reactions. Who was mentioned before stays mentioned, though they may have left. */
export async function updateReply(place: ReplyPlace, body: Body, context: BranchContext): Promise<CommentReply> {
  const { db, space, actor, commit } = context;
  const { comment, id } = place;
  const text = body.body === undefined ? undefined : bodyText(body.body);
  const mentions = text === undefined ? [] : mentionsOf(text);
  const known = mentions.length === 0 ? [] : mentionsOf((await findReply(place, context)).body);
  const added = mentions.filter((user) => !known.includes(user));
  const reactions = reactionChange(body);
  const checks = [replyExists(place, context), ...branchExists(context), ...mayMention(added, context)];
  const record = await commitChecked(db, [...checks, ...fewEmoji(id, reactions)], async (guards) => {
    const found = await findReply(place, context);
    if (text !== undefined) requireAuthor(found, context);
    const isNewText = text !== undefined && text !== found.body;
    if (!isNewText && !isChange(reactions)) return found;
    const edit = { body: text, editedAt: Date.now() };
    const write = [
      ...(isNewText ? [db.update(commentReplies).set(edit).where(eq(commentReplies.id, id))] : []),
      ...writeReactions(db, reactions, { object: id, space: space.id, user: actor.id }),
    ];
    const data = { ...onComment(comment, context), reply: id };
    const events: NewEvent[] = [
      ...(isNewText
        ? [{ type: 'comment_reply.updated' as const, ...placeOf(context), data: { ...data, mentions } }]
        : []),
      ...(isChange(reactions) ? [{ type: 'comment.reactions_changed' as const, ...placeOf(context), data }] : []),
    ];
    const { shown } = await commit({ guards, write, shown: selectReply(place, context) }, events);
    return readFoundReply(shown);
  });
  return presentReply(record, { comment, format: 'markdown', context });
}

/** The reply is there, on the branch. */
export const replyExists = ({ comment, id }: ReplyPlace, context: BranchContext): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM comment_replies WHERE id = ${id} AND comment = ${comment}
    AND branch = ${branchOf(context)} AND space = ${context.space.id})`,
  otherwise: () => notFound('reply'),
});
