import type { Check } from '@octavo/db';
import { commentReplies, commitChecked } from '@octavo/db';
import { mentionsOf } from '@octavo/markdown';
import type { CommentReply } from '@octavo/schema';
import { conflict, newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { BranchContext } from '../discussion/branch.ts';
import { branchOf, onComment, placeOf } from '../discussion/branch.ts';
import { branchExists, commentExists, mayMention } from '../discussion/checks.ts';
import { presentReply } from './present-reply.ts';
import { readFoundReply, selectReply } from './reply-record.ts';

const maxReplies = 1000;

interface NewReply {
  comment: string;
  text: string;
  format: 'markdown' | 'document';
}

export async function postReply({ comment, text, format }: NewReply, context: BranchContext): Promise<CommentReply> {
  const { db, space, actor, commit } = context;
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
  return presentReply(readFoundReply(shown), { comment, format, context });
}

const hasRoom = (comment: string): Check => ({
  holds: sql`(SELECT replies FROM comments WHERE id = ${comment}) < ${sql.raw(String(maxReplies))}`,
  otherwise: () => conflict(`The comment has ${maxReplies} replies already: no other can be added.`),
});
