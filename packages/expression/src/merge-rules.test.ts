import type { MergeRule } from '@octavo/schema';
import { describe, expect, test } from 'vitest';
import type { LatestReview, MergeFacts } from './merge-rules.ts';
import { findFailedRules } from './merge-rules.ts';

const facts: MergeFacts = {
  actor: 'me',
  creator: 'author',
  subject: 'A subject',
  description: '',
  isBehind: false,
  reviews: [],
  requested: [],
  scope: {
    space: { title: 'Handbook' },
    changeRequest: { subject: 'A subject', status: 'open' },
    reviews: [{ status: 'approved' }],
    actor: { id: 'me' },
  },
};

const approved: LatestReview = { reviewer: 'one', status: 'approved', outdated: false };
const outdated: LatestReview = { reviewer: 'two', status: 'approved', outdated: true };
const wishes: LatestReview = { reviewer: 'three', status: 'changes-requested', outdated: true };

const plain = (rule: string) => ({ rule }) as MergeRule;
const all: MergeRule = { rule: 'require_specific_reviewers', users: ['one', 'two'] };
const oneOf: MergeRule = { rule: 'require_one_of_specific_reviewers', users: ['one', 'two'] };
const createCustomRule = (expression: string): MergeRule => ({ rule: 'custom', expression });

const passing: [MergeRule, Partial<MergeFacts>][] = [
  [plain('require_at_least_one_review'), { reviews: [approved] }],
  [plain('require_at_least_one_review'), { reviews: [wishes] }],
  [plain('require_at_least_one_approved_review'), { reviews: [wishes, approved] }],
  [plain('require_all_reviews_approved'), {}],
  [plain('require_all_reviews_approved'), { reviews: [approved] }],
  [all, { reviews: [approved, { ...outdated, outdated: false }] }],
  [oneOf, { reviews: [approved, outdated] }],
  [plain('require_up_to_date_change_request'), {}],
  [plain('require_change_request_subject'), {}],
  [plain('require_change_request_description'), { description: 'Why' }],
  [plain('require_author_to_merge'), { actor: 'author' }],
  [createCustomRule('reviews.length > 0 && reviews[0].status == "approved"'), {}],
  [createCustomRule('actor.id in ["me", "you"] && space.title === "Handbook"'), {}],
  [{ rule: 'allow_bypass', users: ['somebody'] }, {}],
];

const failing: [MergeRule, Partial<MergeFacts>, string][] = [
  [plain('require_at_least_one_review'), {}, 'review'],
  [plain('require_at_least_one_review'), { reviews: [outdated] }, 'review'],
  [plain('require_at_least_one_approved_review'), { reviews: [outdated, wishes] }, 'approval'],
  [plain('require_all_reviews_approved'), { reviews: [approved, wishes] }, 'requested changes: three'],
  [plain('require_all_reviews_approved'), { reviews: [approved, outdated] }, 'approved an earlier version: two'],
  [plain('require_all_reviews_approved'), { reviews: [approved], requested: ['four'] }, 'have not reviewed yet: four'],
  [all, { reviews: [approved, outdated] }, ': two'],
  [oneOf, { reviews: [outdated, wishes] }, 'one, two'],
  [plain('require_up_to_date_change_request'), { isBehind: true }, 'update the change request first'],
  [plain('require_change_request_subject'), { subject: ' ' }, 'subject'],
  [plain('require_change_request_description'), {}, 'description'],
  [plain('require_author_to_merge'), {}, 'only the author'],
  [createCustomRule('changeRequest.status == "draft"'), {}, 'changeRequest.status == "draft"'],
  [createCustomRule('changeRequest.subject'), {}, 'condition'],
  [createCustomRule('space.title('), {}, 'condition'],
  [createCustomRule('nobody.knows == undefined'), {}, 'condition'],
];

const toCase = ([rule, more]: [MergeRule, Partial<MergeFacts>, string?]) =>
  [`${rule.rule} ${JSON.stringify(more)}`, rule, more] as const;

describe('a rule is met', () => {
  test.each(passing.map(toCase))('%s', (_name, rule, more) => {
    expect(findFailedRules([rule], { ...facts, ...more })).toEqual([]);
  });
});

describe('a rule is not met', () => {
  test.each(failing.map((each) => [...toCase(each), each[2]] as const))('%s', (_name, rule, more, words) => {
    expect(findFailedRules([rule], { ...facts, ...more })).toEqual([
      { path: `mergeRules.${rule.rule}`, message: expect.stringContaining(words) },
    ]);
  });
});

test('returns every rule that is not met, but none for users who can bypass the rules', () => {
  const rules = failing.map(([rule]) => rule).filter(({ rule }) => rule.endsWith('_review'));

  expect(findFailedRules(rules, facts)).toHaveLength(3);
  expect(findFailedRules([...rules, { rule: 'allow_bypass', users: ['me'] }], facts)).toEqual([]);
});

test('a custom rule has its own message', () => {
  expect(findFailedRules([{ rule: 'custom', expression: '1 > 2', message: 'On Sundays only' }], facts)).toEqual([
    { path: 'mergeRules.custom', message: 'On Sundays only' },
  ]);
});
