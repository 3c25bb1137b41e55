import type { ChangeRequest, MergeRule, RequestedReviewer, Review, Space, User } from '@octavo/schema';
import { expect, test } from 'vitest';
import { canBypass, createChecklist, getLatestReviews, type ReviewState } from './checklist.ts';

const createUser = (id: string): User => ({ object: 'user', id, displayName: id, urls: { location: '' } });
const [ann, ben] = [createUser('usr_ann'), createUser('usr_ben')];

const createReview = (reviewer: User, status: Review['status'], more: Partial<Review> = {}): Review => ({
  ...{ object: 'change-request-review', id: '', revision: '', urls: { location: '' }, outdated: false },
  ...{ createdAt: '2026-01-01', updatedAt: '2026-01-01' },
  ...{ reviewer, status },
  ...more,
});

const createState = (reviews: Review[], more: Partial<ChangeRequest> = {}): ReviewState => ({
  space: { title: 'Handbook' } as Space,
  changeRequest: { subject: 'A guide', outdated: false, createdBy: ann, comments: 0, ...more } as ChangeRequest,
  reviews,
  requested: [{ kind: 'user', user: ben } as RequestedReviewer],
  user: ben,
});

const names = new Map([
  ['usr_ann', 'Ann'],
  ['usr_ben', 'Ben'],
]);
const check = (rules: MergeRule[], state: ReviewState) => createChecklist(rules, state, names);

test('only the newest review of each reviewer counts, and none of the author', () => {
  const former = createReview(ben, 'changes-requested', { createdAt: '2026-01-01' });
  const latest = createReview(ben, 'approved', { createdAt: '2026-01-02' });
  const state = createState([latest, createReview(ann, 'approved'), former]);

  expect(getLatestReviews(state)).toEqual([latest]);
  expect(check([{ rule: 'require_at_least_one_approved_review' }], state)[0]?.fault).toBeUndefined();
});

test('names the missing requirements and reviewers', () => {
  const rules: MergeRule[] = [
    { rule: 'require_specific_reviewers', users: ['usr_ben'] },
    { rule: 'require_all_reviews_approved' },
    { rule: 'require_up_to_date_change_request' },
    { rule: 'require_change_request_subject' },
  ];

  expect(check(rules, createState([], { outdated: true })).map(({ fault }) => fault)).toEqual([
    'The current version needs the approval of all of these users: Ben.',
    'All reviewers must approve the current version; these users have not reviewed yet: Ben.',
    'The live content changed: update the change request first.',
    undefined,
  ]);
});

test('evaluates custom rules, and shows their message', () => {
  const rule = { rule: 'custom', expression: 'changeRequest.comments == 0', message: 'No open comments' } as const;

  expect(check([rule], createState([]))).toEqual([{ label: 'No open comments', fault: undefined }]);
  expect(check([rule], createState([], { comments: 1 }))).toEqual([
    { label: 'No open comments', fault: 'This condition is not met.' },
  ]);
});

test('people who can bypass the rules are not a rule', () => {
  const rules: MergeRule[] = [{ rule: 'allow_bypass', users: ['usr_ben'] }];

  expect(check(rules, createState([]))).toEqual([]);
  expect([canBypass(rules, ben), canBypass(rules, ann)]).toEqual([true, false]);
});
