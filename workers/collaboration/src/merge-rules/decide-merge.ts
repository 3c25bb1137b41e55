import type { ChangeRequestRecord, Database, RecordOf, SpaceRecord } from '@octavo/db';
import {
  changeRequestJoins,
  changeRequestRow,
  computed,
  effectiveMergeRules,
  fromJson,
  fromQuery,
  mayAccessSpace,
  mergeStamp,
  nullable,
  requestedReviewers,
  reviews,
  runBatch,
  selection,
  spaceJoins,
  spaceRow,
  userRow,
} from '@octavo/db';
import { findFailedRules, type Json, type MergeFacts } from '@octavo/expression';
import type { Urls } from '@octavo/runtime';
import { presentChangeRequest, presentSpace, presentUser } from '@octavo/runtime';
import type { ChangeRequestId, MergeDecision, MergeRule, MergeRules, Role, SpaceId } from '@octavo/schema';
import { ApiError, formatTimestamp, notFound } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';

/** A requested merge; `changeRequest` is the record that authorization found. */
interface MergeRequest {
  actor: Parameters<typeof presentUser>[0];
  role: Role | null;
  space: SpaceRecord;
  changeRequest: ChangeRequestRecord;
  urls: Urls;
}

/** The decision if there are no rules. */
export const withoutRules: MergeDecision = { stamp: null };

/**
 * Reads the input of the merge rules in one round trip and evaluates them. @throws ApiError precondition_failed with
 * every rule that fails
 */
export async function decideMerge(db: Database, request: MergeRequest): Promise<MergeDecision> {
  const branchKeys = { space: request.space.id, changeRequest: request.changeRequest.id };
  const {
    states: [state],
    reviews,
    requested,
  } = await runBatch(db, {
    states: readState(branchKeys),
    reviews: readLatestReviews(branchKeys),
    requested: readRequestedReviewers(branchKeys),
  });
  if (state === undefined) throw notFound('change request');
  if (state.rules === null) return withoutRules;
  const { rules } = state.rules;
  const facts = createMergeFacts(request, { state, reviews, requested });
  const failed = findFailedRules(rules, facts);
  if (failed.length > 0) {
    const messages = failed.map(({ message }) => message).join('; ');
    throw new ApiError('precondition_failed', `The merge rules are not met: ${messages}.`, failed);
  }
  const reviewers = facts.reviews.filter(({ status }) => status === 'approved').map(({ reviewer }) => reviewer);
  return {
    stamp: state.stamp,
    reviewers,
    ...(rules.some(dependsOnLiveContent) ? { mainSeq: state.changeRequest.mainSeq } : {}),
  };
}

const dependsOnLiveContent = ({ rule }: MergeRule): boolean =>
  rule === 'require_up_to_date_change_request' || rule === 'custom';

const stateRow = selection({
  space: spaceRow.fields,
  changeRequest: changeRequestRow.fields,
  rules: nullable(computed(fromJson<Extract<MergeRules, { type: 'rules' }>>(), effectiveMergeRules)),
  stamp: nullable(fromQuery(String)),
});

const r = aliasedTable(reviews, 'r');
const latestRow = selection({
  id: r.id,
  revision: r.revision,
  reviewer: userRow.fields,
  status: r.status,
  outdated: computed(Boolean, sql`(r.superseded_at IS NOT NULL OR cr.edited_seq > r.seq)`),
  createdAt: r.createdAt,
  updatedAt: r.updatedAt,
});

const requestedRow = selection({ subject: aliasedTable(requestedReviewers, 'q').subject });

interface MergeRows {
  state: RecordOf<typeof stateRow>;
  reviews: RecordOf<typeof latestRow>[];
  requested: RecordOf<typeof requestedRow>[];
}

function createMergeFacts({ actor, role, urls }: MergeRequest, { state, reviews, requested }: MergeRows): MergeFacts {
  const { space, changeRequest } = state;
  const presented = presentChangeRequest(changeRequest, urls);
  const latest = reviews.map((review) => presentReview(review, urls));
  return {
    actor: actor.id,
    creator: changeRequest.createdBy.id,
    subject: changeRequest.subject,
    description: changeRequest.description,
    isBehind: presented.outdated,
    reviews: latest.map(({ reviewer, ...review }) => ({ ...review, reviewer: reviewer.id })),
    requested: requested.map(({ subject }) => subject),
    scope: toPlainScope({
      space: presentSpace(space, role, urls),
      changeRequest: { ...presented, description: changeRequest.description },
      reviews: latest,
      actor: presentUser(actor, urls),
    }),
  };
}

const toPlainScope = (scope: { [Name in keyof MergeFacts['scope']]: unknown }) =>
  JSON.parse(JSON.stringify(scope)) as MergeFacts['scope'] & Json;

const presentReview = ({ reviewer, createdAt, updatedAt, ...review }: MergeRows['reviews'][number], urls: Urls) => ({
  object: 'change-request-review' as const,
  ...review,
  reviewer: presentUser(reviewer, urls),
  createdAt: formatTimestamp(createdAt),
  updatedAt: formatTimestamp(updatedAt),
});

interface MergeKey {
  space: SpaceId;
  changeRequest: ChangeRequestId;
}

const readState = (merging: MergeKey) =>
  stateRow.query(sql`
    SELECT ${stateRow.with({ stamp: mergeStamp(merging) })}
    FROM spaces s CROSS JOIN organizations o ON o.id = s.organization
    CROSS JOIN change_requests cr ON cr.space = s.id ${spaceJoins} ${changeRequestJoins}
    WHERE s.id = ${merging.space} AND cr.id = ${merging.changeRequest}`);

/**
 * The latest review of each reviewer, without reviews by the author of the change request and by users who may no
 * longer open the space.
 */
const readLatestReviews = ({ space, changeRequest }: MergeKey) =>
  latestRow.query(sql`
    SELECT ${latestRow}
    FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY reviewer
        ORDER BY superseded_at IS NULL DESC, created_at DESC, id DESC) AS place
      FROM reviews WHERE change_request = ${changeRequest} AND space = ${space}) r
    CROSS JOIN change_requests cr ON cr.id = r.change_request
    CROSS JOIN spaces s ON s.id = cr.space CROSS JOIN users u ON u.id = r.reviewer
    WHERE r.place = 1 AND r.reviewer <> cr.created_by AND ${mayAccessSpace(sql`r.reviewer`)}
    ORDER BY r.created_at, r.id`);

/**
 * Returns the requested reviewers who can view the space. A team is included while one of its members can view the
 * space.
 */
const readRequestedReviewers = ({ space, changeRequest }: MergeKey) =>
  requestedRow.query(sql`
    SELECT ${requestedRow} FROM requested_reviewers q CROSS JOIN spaces s ON s.id = q.space
    WHERE q.change_request = ${changeRequest} AND q.space = ${space} AND CASE q.kind
      WHEN 'user' THEN ${mayAccessSpace(sql`q.subject`)}
      ELSE EXISTS (SELECT 1 FROM team_members tm WHERE tm.team = q.subject AND tm.organization = s.organization
        AND ${mayAccessSpace(sql`tm.user`)}) END
    ORDER BY q.created_at, q.subject`);
