import { commentReplies, commitChecked } from '@octavo/db';
import { mentionsOf } from '@octavo/markdown';
import type { Handler } from '@octavo/runtime';
import type { collaboration, NewEvent, Served } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import { bodyText } from '../comments/body.ts';
import { onComment, placeOf } from '../discussion/branch.ts';
import { branchExists, mayMention, requireAuthor } from '../discussion/checks.ts';
import { fewEmoji, isChange, reactionChange, writeReactions } from '../discussion/reactions.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentReply } from './present-reply.ts';
import { findReply, readFoundReply, replyExists, selectReply } from './reply-record.ts';

/** All of it or nothing: a text and reactions. Who was mentioned before stays mentioned, though they may have left. */
export const updateCommentReply: Handler<
  Served<typeof collaboration, 'updateCommentReply'>,
  CollaborationEnvironment
> = async ({ params: { commentId: comment, commentReplyId: id }, body }, context) => {
  const { db, space, actor, commit } = context;
  const place = { comment, id };
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
};
