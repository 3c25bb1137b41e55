import { comments, commitChecked, must } from '@octavo/db';
import { mentionsOf } from '@octavo/markdown';
import type { Handler } from '@octavo/runtime';
import type { ChangeRequestId, collaboration, NewEvent, Served, UserId } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { onComment, placeOf } from '../discussion/branch.ts';
import { branchExists, commentExists, mayMention, requireAuthor } from '../discussion/checks.ts';
import { fewEmoji, isChange, reactionChange, writeReactions } from '../discussion/reactions.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { bodyText } from './body.ts';
import type { CommentRecord } from './comment-record.ts';
import { findComment, readFound, selectComment } from './comment-record.ts';
import { presentComment } from './present-comment.ts';

/**
 * All of it or nothing: a text, a resolution and reactions. What is so already is left as it is, and who was mentioned
 * before stays mentioned, though they may have left.
 */
export const updateComment: Handler<Served<typeof collaboration, 'updateComment'>, CollaborationEnvironment> = async (
  { params: { commentId: id }, body },
  context,
) => {
  const { db, space, actor, commit } = context;
  const text = body.body === undefined ? undefined : bodyText(body.body);
  const mentions = text === undefined ? [] : mentionsOf(text);
  const known = mentions.length === 0 ? [] : mentionsOf((await findComment(id, context)).body);
  const added = mentions.filter((user) => !known.includes(user));
  const reactions = reactionChange(body);
  const checks = [commentExists(id, context), ...branchExists(context), ...mayMention(added, context)];
  const record = await commitChecked(db, [...checks, ...fewEmoji(id, reactions)], async (guards) => {
    const found = await findComment(id, context);
    if (text !== undefined) requireAuthor(found, context);
    const change = changeOf(found, { text, resolved: body.resolved }, actor.id);
    const given = Object.keys(change).length > 0;
    if (!given && !isChange(reactions)) return found;
    const write = [
      must(db, isStill(found)),
      ...(given ? [db.update(comments).set(change).where(eq(comments.id, id))] : []),
      ...writeReactions(db, reactions, { object: id, space: space.id, user: actor.id }),
    ];
    const data = onComment(id, context);
    const changed: NewEvent[] = isChange(reactions)
      ? [{ type: 'comment.reactions_changed', ...placeOf(context), data }]
      : [];
    const events = [
      ...eventsOf(change, { ...data, mentions }).map((event) => ({ ...placeOf(context), ...event })),
      ...changed,
    ];
    const { shown } = await commit({ guards, write, shown: selectComment(id, context) }, events);
    return readFound(shown);
  });
  return presentComment(record, 'markdown', context);
};

interface Wanted {
  text: string | undefined;
  resolved: boolean | undefined;
}

type Change = Partial<Pick<typeof comments.$inferInsert, 'body' | 'editedAt' | 'resolvedAt' | 'resolvedBy'>>;

function changeOf(found: CommentRecord, { text, resolved }: Wanted, user: UserId): Change {
  const now = Date.now();
  const isNewText = text !== undefined && text !== found.body;
  const isTurned = resolved !== undefined && resolved !== (found.resolvedAt !== null);
  return {
    ...(isNewText ? { body: text, editedAt: now } : {}),
    ...(isTurned ? { resolvedAt: resolved ? now : null, resolvedBy: resolved ? user : null } : {}),
  };
}

/** Nobody has resolved or reopened it since it was read. */
const isStill = ({ id, resolvedAt }: CommentRecord) =>
  sql`EXISTS (SELECT 1 FROM comments WHERE id = ${id} AND resolved_at IS ${resolvedAt})`;

function eventsOf(
  change: Change,
  { mentions, ...data }: { comment: string; changeRequest?: ChangeRequestId; mentions: string[] },
) {
  const { body, resolvedAt } = change;
  return [
    ...(body === undefined ? [] : [{ type: 'comment.updated' as const, data: { ...data, mentions } }]),
    ...(resolvedAt === undefined
      ? []
      : [{ type: resolvedAt === null ? ('comment.reopened' as const) : ('comment.resolved' as const), data }]),
  ];
}
