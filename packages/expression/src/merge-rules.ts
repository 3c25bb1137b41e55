import type { Issue, MergeRule, ReviewStatus } from '@octavo/schema';
import { isRuleMet, type MergeRuleScope } from './conditions.ts';

/** The latest review of a reviewer whose review counts. */
export interface LatestReview {
  reviewer: string;
  status: ReviewStatus;
  /** Whether the change request was edited after the review, or the reviewer was requested again. */
  outdated: boolean;
}

/** The input of the merge rules. */
export interface MergeFacts {
  /** The user who merges, and the user who created the change request. */
  actor: string;
  creator: string;
  subject: string;
  description: string;
  /** Whether the live content has moved on since the change request was last updated. */
  isBehind: boolean;
  reviews: LatestReview[];
  /** Users and teams who were asked for a review and have not reviewed yet. */
  requested: string[];
  scope: MergeRuleScope;
}

/** Returns an issue for each rule that fails; empty if the actor can bypass the rules. */
export function findFailedRules(rules: MergeRule[], facts: MergeFacts): Issue[] {
  if (rules.some((rule) => rule.rule === 'allow_bypass' && rule.users.includes(facts.actor))) return [];
  return rules.flatMap((rule) => {
    const message = findFault(rule, facts);
    return message === undefined ? [] : [{ path: `mergeRules.${rule.rule}`, message }];
  });
}

const isApproval = ({ status, outdated }: LatestReview): boolean => status === 'approved' && !outdated;

/** An approval expires with the next edit. A request for changes stays until its reviewer approves. */
const isCurrent = (review: LatestReview): boolean => review.status === 'changes-requested' || isApproval(review);

function findFault(rule: MergeRule, facts: MergeFacts): string | undefined {
  const { reviews } = facts;
  const approvers = new Set(reviews.filter(isApproval).map(({ reviewer }) => reviewer));
  const getMessageUnless = (isSatisfied: boolean, message: string) => (isSatisfied ? undefined : message);
  switch (rule.rule) {
    case 'require_at_least_one_review':
      return getMessageUnless(reviews.some(isCurrent), 'the current version needs a review');
    case 'require_at_least_one_approved_review':
      return getMessageUnless(approvers.size > 0, 'the current version needs an approval');
    case 'require_all_reviews_approved':
      return describeMissingApprovals(facts);
    case 'require_specific_reviewers': {
      const missing = rule.users.filter((user) => !approvers.has(user));
      return getMessageUnless(
        missing.length === 0,
        `the current version needs the approval of all of these users: ${missing.join(', ')}`,
      );
    }
    case 'require_one_of_specific_reviewers':
      return getMessageUnless(
        rule.users.some((user) => approvers.has(user)),
        `the current version needs the approval of one of these users: ${rule.users.join(', ')}`,
      );
    case 'require_up_to_date_change_request':
      return getMessageUnless(!facts.isBehind, 'the live content changed: update the change request first');
    case 'require_change_request_subject':
      return getMessageUnless(facts.subject.trim() !== '', 'the change request needs a subject');
    case 'require_change_request_description':
      return getMessageUnless(facts.description.trim() !== '', 'the change request needs a description');
    case 'require_author_to_merge':
      return getMessageUnless(facts.actor === facts.creator, 'only the author of the change request can merge it');
    case 'custom':
      return getMessageUnless(
        isRuleMet(rule.expression, facts.scope),
        rule.message ?? `this condition is not met: ${rule.expression}`,
      );
    case 'allow_bypass':
      return undefined;
  }
}

/** Describes the reviewers who have not approved. */
function describeMissingApprovals({ reviews, requested }: MergeFacts): string | undefined {
  const getReviewers = (isSelected: (review: LatestReview) => boolean) =>
    reviews.filter(isSelected).map(({ reviewer }) => reviewer);
  const parts: [string, string[]][] = [
    ['requested changes', getReviewers(({ status }) => status === 'changes-requested')],
    ['approved an earlier version', getReviewers((review) => review.status === 'approved' && review.outdated)],
    ['have not reviewed yet', requested],
  ];
  const faults = parts
    .filter(([, userNames]) => userNames.length > 0)
    .map(([problem, userNames]) => `these users ${problem}: ${userNames.join(', ')}`);
  return faults.length === 0 ? undefined : `all reviewers must approve the current version; ${faults.join('; ')}`;
}
