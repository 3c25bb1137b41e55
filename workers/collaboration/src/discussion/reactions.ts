import type { Check, Database, RecordOf, Statement, UserRecord } from '@octavo/db';
import { reactionCounts, reactions, selection, userRow } from '@octavo/db';
import type { SpaceId, UserId } from '@octavo/schema';
import { conflict, maxReactions } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

/** Maximum number of users shown for an emoji: the first who reacted, and the caller. */
export const maxListedUsers = 100;

export interface ReactionRecord {
  emoji: string;
  count: number;
  users: { user: UserRecord; reactedAt: number }[];
}

const n = aliasedTable(reactionCounts, 'n');

const reactionRow = selection({
  object: n.object,
  emoji: n.emoji,
  count: n.count,
  reactedAt: aliasedTable(reactions, 'r').reactedAt,
  user: userRow.fields,
});

/** Selects the users who reacted to the objects that `selection` selects as `id`; reads no more rows than are shown. */
export function selectReactions(selection: SQL, viewer: SQL | string) {
  const same = sql`object = n.object AND emoji = n.emoji`;
  const visibleUsers = sql`(SELECT json_group_array(user) FROM (
    SELECT user FROM (SELECT user FROM reactions WHERE ${same} ORDER BY reacted_at, user LIMIT ${sql.raw(String(maxListedUsers))})
    UNION SELECT user FROM reactions WHERE ${same} AND user = ${viewer}))`;
  return reactionRow.query(sql`SELECT ${reactionRow}
    FROM (${selection}) f CROSS JOIN reaction_counts n ON n.object = f.id CROSS JOIN json_each(${visibleUsers}) shown
    CROSS JOIN reactions r ON r.object = n.object AND r.emoji = n.emoji AND r.user = shown.value
    CROSS JOIN users u ON u.id = r.user
    ORDER BY n.object, n.first_at, n.emoji, r.reacted_at, r.user`);
}

/** Groups the rows of `selectReactions` by object. */
export function readReactions(rows: RecordOf<typeof reactionRow>[]): Map<string, ReactionRecord[]> {
  const byObject = new Map<string, ReactionRecord[]>();
  for (const { object, emoji, count, user, reactedAt } of rows) {
    const objectReactions = byObject.get(object) ?? [];
    byObject.set(object, objectReactions);
    if (objectReactions.at(-1)?.emoji !== emoji) objectReactions.push({ emoji, count, users: [] });
    objectReactions.at(-1)?.users.push({ user, reactedAt });
  }
  return byObject;
}

/** The emoji that a caller adds and removes. An emoji in both lists is removed. */
interface ReactionChange {
  added: string[];
  removed: string[];
}

export function toReactionChange(body: {
  addedReactions?: string[] | undefined;
  removedReactions?: string[] | undefined;
}): ReactionChange {
  const removed = new Set(body.removedReactions);
  return { added: [...new Set(body.addedReactions)].filter((emoji) => !removed.has(emoji)), removed: [...removed] };
}

export const hasReactionChange = ({ added, removed }: ReactionChange): boolean => added.length + removed.length > 0;

interface ReactionTarget {
  object: string;
  space: SpaceId;
  user: UserId;
}

export function writeReactions(db: Database, { added, removed }: ReactionChange, by: ReactionTarget): Statement[] {
  const { object, space, user } = by;
  const [toAdd, toRemove] = [JSON.stringify(added), JSON.stringify(removed)];
  return [
    ...(removed.length === 0
      ? []
      : [
          db.run(sql`DELETE FROM reactions WHERE object = ${object} AND user = ${user} AND space = ${space}
            AND emoji IN (SELECT value FROM json_each(${toRemove}))`),
        ]),
    ...(added.length === 0
      ? []
      : [
          db.run(sql`INSERT INTO reactions (object, emoji, user, space, reacted_at)
            SELECT ${object}, value, ${user}, ${space}, ${Date.now()} FROM json_each(${toAdd}) WHERE true
            ON CONFLICT DO NOTHING`),
        ]),
  ];
}

/** Checks that the object has at most `maxReactions` different emoji. */
export function createEmojiChecks(object: string, { added }: ReactionChange): Check[] {
  if (added.length === 0) return [];
  return [
    {
      condition: sql`(SELECT COUNT(*) FROM (SELECT emoji FROM reaction_counts WHERE object = ${object}
        UNION SELECT value FROM json_each(${JSON.stringify(added)}))) <= ${sql.raw(String(maxReactions))}`,
      createError: () => conflict(`A comment can have at most ${maxReactions} different reactions.`),
    },
  ];
}
