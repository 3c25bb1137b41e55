import { commitChecked, given as givenField, maybe, mergeRuleChecks, selection, spaceRank, spaces } from '@octavo/db';
import { requireReadableRules } from '@octavo/expression';
import type { Handler } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { roleOfRank } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { levelChecks, withoutSameLevel } from '../../engine/placing/level-checks.ts';
import type { ContentEnvironment } from '../../environment.ts';

const roleRow = selection({ role: maybe(givenField(roleOfRank)) });

export const updateSpaceById: Handler<typeof content.updateSpaceById, ContentEnvironment> = async (
  { body },
  { db, space, role, actor, commit, urls },
) => {
  // Only what was given is written, so that two callers who change different fields both have their way.
  const { mergeRules: rules, ...wanted } = withoutSameLevel(body, space);
  requireReadableRules(rules);
  const mergeRules = rules?.type === 'inherit' ? null : rules;
  const given = { ...wanted, mergeRules, emoji: body.emoji === null ? '' : body.emoji, updatedAt: Date.now() };
  const checks = [
    ...levelChecks(given.defaultLevel, { ...space, table: 'spaces', role }),
    ...mergeRuleChecks(rules, space.organization),
  ];
  const rank = spaceRank({ user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` });
  const { roles } = await commitChecked(db, checks, (guards) =>
    commit(
      {
        guards,
        write: db.update(spaces).set(given).where(eq(spaces.id, space.id)),
        roles: roleRow.query(sql`
          SELECT ${roleRow.with({ role: rank })} FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND m.user = ${actor.id}
          WHERE s.id = ${space.id}`),
      },
      [{ type: 'space.updated', organization: space.organization, space: space.id, data: {} }],
    ),
  );
  const { title = space.title, emoji = space.emoji, editMode = space.editMode, updatedAt } = given;
  const { defaultLevel = space.defaultLevel } = given;
  const changed = { ...space, title, emoji, editMode, defaultLevel, updatedAt };
  if (mergeRules !== undefined) changed.mergeRules = mergeRules;
  return presentSpace(changed, roles[0]?.role ?? null, urls);
};
