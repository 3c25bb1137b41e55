import * as z from 'zod';
import { Id } from '../ids.ts';
import { lineOfText } from '../text.ts';

export const maxMergeRules = 20;

const Users = z.array(Id).min(1).max(50);

/** One condition on a merge (permissions.md, section 8), checked against the latest review of each reviewer. */
export const MergeRule = z
  .discriminatedUnion('rule', [
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
      message: lineOfText(1, 256).optional(),
    }),
  ])
  .meta({ id: 'MergeRule' });
export type MergeRule = z.infer<typeof MergeRule>;

const Rules = z.object({ type: z.literal('rules'), rules: z.array(MergeRule).max(maxMergeRules) });
const None = z.object({ type: z.literal('none') });

/** The rules that an organization's spaces inherit: all of them have to pass. */
export const MergeRules = z.discriminatedUnion('type', [Rules, None]).meta({ id: 'MergeRules' });
export type MergeRules = z.infer<typeof MergeRules>;

export const SpaceMergeRules = z
  .discriminatedUnion('type', [z.object({ type: z.literal('inherit') }), Rules, None])
  .meta({ id: 'SpaceMergeRules' });
export type SpaceMergeRules = z.infer<typeof SpaceMergeRules>;
