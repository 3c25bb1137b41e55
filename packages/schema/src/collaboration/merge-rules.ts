import * as z from 'zod';
import { Id } from '../ids.ts';
import { createLineSchema } from '../text.ts';

const maxMergeRules = 20;
/** Maximum length of the rules as JSON. Each space in a list includes its rules, so they must be small. */
const maxMergeRulesLength = 8192;

const Users = z
  .array(Id)
  .min(1)
  .max(50)
  .overwrite((users) => [...new Set(users)]);

/** A condition for merging, checked against the latest review of each reviewer. */
export const MergeRule = z
  .discriminatedUnion(
    'rule',
    [
      z.object({
        rule: z.enum([
          'require_at_least_one_review',
          'require_at_least_one_approved_review',
          'require_all_reviews_approved',
          'require_up_to_date_change_request',
          'require_change_request_subject',
          'require_change_request_description',
          'require_author_to_merge',
        ]),
      }),
      z.object({ rule: z.literal('require_specific_reviewers'), users: Users }),
      z.object({ rule: z.literal('require_one_of_specific_reviewers'), users: Users }),
      z.object({ rule: z.literal('allow_bypass'), users: Users }),
      z.object({
        rule: z.literal('custom'),
        expression: z.string().min(1).max(1024),
        message: createLineSchema(1, 256).optional(),
      }),
    ],
    {
      error: ({ input }) =>
        mentionsAgents(input) ? 'must not be require_agent_review, which is not supported' : undefined,
    },
  )
  .meta({ id: 'MergeRule' });
export type MergeRule = z.infer<typeof MergeRule>;

const mentionsAgents = (rule: unknown): boolean =>
  typeof rule === 'object' && rule !== null && 'rule' in rule && rule.rule === 'require_agent_review';

/** Each rule is allowed once, except for custom rules with different expressions. */
const MergeRuleList = z
  .array(MergeRule)
  .max(maxMergeRules)
  .superRefine((rules, context) => {
    const seenKeys = new Set<string>();
    rules.forEach((rule, index) => {
      const key = rule.rule === 'custom' ? `custom ${rule.expression}` : rule.rule;
      if (seenKeys.has(key))
        context.addIssue({ code: 'custom', path: [index], message: 'must not repeat another rule' });
      seenKeys.add(key);
    });
    if (JSON.stringify(rules).length > maxMergeRulesLength)
      context.addIssue({ code: 'custom', message: `must have at most ${maxMergeRulesLength} characters as JSON` });
  });

const Rules = z.object({ type: z.literal('rules'), rules: MergeRuleList });
const None = z.object({ type: z.literal('none') });

/** The rules that the spaces of an organization inherit. All of them must pass. */
export const MergeRules = z.discriminatedUnion('type', [Rules, None]).meta({ id: 'MergeRules' });
export type MergeRules = z.infer<typeof MergeRules>;

export const SpaceMergeRules = z
  .discriminatedUnion('type', [z.object({ type: z.literal('inherit') }), Rules, None])
  .meta({ id: 'SpaceMergeRules' });
export type SpaceMergeRules = z.infer<typeof SpaceMergeRules>;
