import type { ChangeRequestId, OrganizationId, SpaceId, SpaceMergeRules } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { selectSpaceRank } from '../access/expressions.ts';
import type { Check } from '../commit.ts';
import { isListedUser } from './records.ts';

/** The effective merge rules of `spaces s` of `organizations o`, as JSON; null if there are none. */
export const effectiveMergeRules = sql`CASE WHEN COALESCE(s.merge_rules, o.merge_rules)->>'type' = 'rules'
  THEN COALESCE(s.merge_rules, o.merge_rules) END`;

interface MergeTarget {
  space: SpaceId;
  changeRequest: ChangeRequestId;
}

const hasCustomRules = sql`EXISTS (SELECT 1 FROM json_each(${effectiveMergeRules}, '$.rules') WHERE value->>'rule' = 'custom')`;

/** Additional data that the expressions of custom rules can read. */
const customRuleData = sql`json_array(cr.comments, cr.updated_at, (SELECT json_array(comments, change_requests,
  change_requests_open, change_requests_draft) FROM space_counters WHERE space = s.id))`;

/**
 * A text that changes whenever the state that the merge rules depend on changes, except for the live content. Null if
 * there are no rules.
 */
export const mergeStamp = ({ space, changeRequest }: MergeTarget): SQL => sql`(
  SELECT CASE WHEN ${effectiveMergeRules} IS NOT NULL THEN json_array(
    ${effectiveMergeRules}, s.title, s.emoji, s.edit_mode, s.default_level, s.parent,
    cr.subject, cr.description, cr.status, cr.stamp, cr.edited_seq, CASE WHEN ${hasCustomRules} THEN ${customRuleData} END) END
  FROM change_requests cr CROSS JOIN spaces s ON s.id = cr.space CROSS JOIN organizations o ON o.id = s.organization
  WHERE cr.id = ${changeRequest} AND cr.space = ${space})`;

/** Returns the SQL condition that a user is an active member with access to `spaces s`. */
export const mayAccessSpace = (user: SQL): SQL => sql`EXISTS (
  SELECT 1 FROM members m WHERE m.organization = s.organization AND m.user = ${user}
    AND ${selectSpaceRank({ user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` })} > 0)`;

/** Returns the checks for a change of merge rules: all users in the rules must be members of the organization. */
export function createMergeRuleChecks(mergeRules: SpaceMergeRules | undefined, organization: OrganizationId): Check[] {
  if (mergeRules?.type !== 'rules') return [];
  const ruleUsers = mergeRules.rules.flatMap((rule, index) =>
    'users' in rule
      ? rule.users.map((user, userIndex) => ({ user, path: `body.mergeRules.rules.${index}.users.${userIndex}` }))
      : [],
  );
  if (ruleUsers.length === 0) return [];
  const nonMembers = sql`FROM json_each(${JSON.stringify(ruleUsers)}) w WHERE NOT EXISTS (
    SELECT 1 FROM members WHERE organization = ${organization} AND user = w.value->>'user' AND ${isListedUser(sql`user`)})`;
  return [
    {
      condition: sql`NOT EXISTS (SELECT 1 ${nonMembers})`,
      failingValue: sql`(SELECT json_group_array(w.value->>'path') || '' ${nonMembers})`,
      createError: (paths) =>
        invalid(
          (JSON.parse(paths ?? '[]') as string[]).map((path) => ({
            path,
            message: 'must be a member of the organization',
          })),
        ),
    },
  ];
}
