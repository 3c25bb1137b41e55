import type { Check } from '@octavo/db';
import { commentReplies, commitChecked } from '@octavo/db';
import { mentionsOf } from '@octavo/markdown';
import type { Handler } from '@octavo/runtime';
import type { collaboration, Served } from '@octavo/schema';
import { conflict, newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { bodyText } from '../comments/body.ts';
import { branchOf, onComment, placeOf } from '../discussion/branch.ts';
import { branchExists, commentExists, mayMention } from '../discussion/checks.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentReply } from './present-reply.ts';
import { readFoundReply, selectReply } from './reply-record.ts';

const maxReplies = 1000;

export const postCommentReply: Handler<
  Served<typeof collaboration, 'postCommentReply'>,
  CollaborationEnvironment
> = async ({ params: { commentId: comment }, query, body }, context) => {
  const { db, space, actor, commit } = context;
  const text = bodyText(body.body);
  const mentions = mentionsOf(text);
  const id = newId('reply');
  const posted = {
    id,
    comment,
    space: space.id,
    branch: branchOf(context),
    author: actor.id,
    body: text,
    createdAt: Date.now(),
  };
  const exists = [...branchExists(context), commentExists(comment, context)];
  const checks = [...exists, hasRoom(comment), ...mayMention(mentions, context)];
  const data = { ...onComment(comment, context), reply: id, mentions };
  const { shown } = await commitChecked(db, checks, (guards) =>
    commit({ guards, write: db.insert(commentReplies).values(posted), shown: selectReply({ comment, id }, context) }, [
      { type: 'comment_reply.created', ...placeOf(context), data },
    ]),
  );
  return presentReply(readFoundReply(shown), {
    comment,
    format: 'format' in query ? query.format : 'markdown',
    context,
  });
};

const hasRoom = (comment: string): Check => ({
  holds: sql`(SELECT replies FROM comments WHERE id = ${comment}) < ${sql.raw(String(maxReplies))}`,
  otherwise: () => conflict(`The comment has ${maxReplies} replies already: no other can be added.`),
});
