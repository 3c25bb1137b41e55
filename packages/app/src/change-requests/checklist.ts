import { findFailedRules, type LatestReview } from '@octavo/expression';
import type { ChangeRequest, MergeRule, RequestedReviewer, Review, Space, User } from '@octavo/schema';

/** The state of a change request that merge rules depend on. */
export interface ReviewState {
  space: Space;
  changeRequest: ChangeRequest;
  reviews: Review[];
  requested: RequestedReviewer[];
  user: User;
}

/** A merge rule, and what is missing if it is not met. */
export interface ChecklistItem {
  label: string;
  fault: string | undefined;
}

const labels: Record<Exclude<MergeRule['rule'], 'custom' | 'allow_bypass'>, string> = {
  require_at_least_one_review: 'Reviewed by someone other than the author',
  require_at_least_one_approved_review: 'Approved by someone other than the author',
  require_all_reviews_approved: 'Approved by all reviewers',
  require_specific_reviewers: 'Approved by all required reviewers',
  require_one_of_specific_reviewers: 'Approved by one of the required reviewers',
  require_up_to_date_change_request: 'Up to date with the live content',
  require_change_request_subject: 'Has a title',
  require_change_request_description: 'Has a description',
  require_author_to_merge: 'Merged by its author',
};

/** Returns the newest review of each reviewer, without those of the author, which do not count. */
export function getLatestReviews({ changeRequest, reviews }: Pick<ReviewState, 'changeRequest' | 'reviews'>): Review[] {
  const latest = new Map<string, Review>();
  for (const review of reviews.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)))
    if (review.reviewer.id !== changeRequest.createdBy.id) latest.set(review.reviewer.id, review);
  return [...latest.values()];
}

const toPlain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

function createFacts(state: ReviewState): Parameters<typeof findFailedRules>[1] {
  const { space, changeRequest, requested, user } = state;
  const { subject, description = '', outdated, createdBy } = changeRequest;
  const latest = getLatestReviews(state);
  const scope = { space, changeRequest: { ...changeRequest, description }, reviews: latest, actor: user };
  return {
    actor: user.id,
    creator: createdBy.id,
    subject,
    description,
    isBehind: outdated,
    reviews: latest.map(
      ({ reviewer, status, outdated }): LatestReview => ({ reviewer: reviewer.id, status, outdated }),
    ),
    requested: requested.map((each) => (each.kind === 'user' ? each.user.id : each.team.id)),
    scope: toPlain(scope) as Parameters<typeof findFailedRules>[1]['scope'],
  };
}

/** Replaces ids of users and teams with their names, and capitalizes the first letter. */
function replaceIdsWithNames(message: string, names: ReadonlyMap<string, string>): string {
  const text = message.replace(/\b(?:usr|acc|team)_\w+/g, (id) => names.get(id) ?? id);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Evaluates each merge rule. `names` are the names of users and teams by their ids. */
export function createChecklist(
  rules: MergeRule[],
  state: ReviewState,
  names: ReadonlyMap<string, string>,
): ChecklistItem[] {
  const facts = createFacts(state);
  return rules.flatMap((rule): ChecklistItem[] => {
    if (rule.rule === 'allow_bypass') return [];
    const [failed] = findFailedRules([rule], facts);
    const label = rule.rule === 'custom' ? (rule.message ?? rule.expression) : labels[rule.rule];
    const isRepeated = rule.rule === 'custom' && rule.message !== undefined;
    return [
      {
        label,
        fault: failed && (isRepeated ? 'This condition is not met.' : replaceIdsWithNames(failed.message, names)),
      },
    ];
  });
}

/** Whether the user can merge although rules are not met. */
export const canBypass = (rules: MergeRule[], user: User): boolean =>
  rules.some((rule) => rule.rule === 'allow_bypass' && rule.users.includes(user.id));
