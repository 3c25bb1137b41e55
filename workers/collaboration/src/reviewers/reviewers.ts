import type { Check, Parameter, RecordOf, Statement } from '@octavo/db';
import {
  commitChecked,
  createUserFields,
  decodeTimeCursor,
  isListedUser,
  nullable,
  paginate,
  prepareQuery,
  readRows,
  requestedReviewers,
  selection,
  selectSpaceRank,
  userRow,
  users,
} from '@octavo/db';
import type { Context, HandlerInput } from '@octavo/runtime';
import type { ChangeRequestId, collaboration, NewEvent, RequestedReviewer, SpaceId } from '@octavo/schema';
import { formatTimestamp, invalid, notFound } from '@octavo/schema';
import { aliasedTable, and, desc, eq, sql } from 'drizzle-orm';
import type { BranchContext } from '../discussion/discussion.ts';
import { createBranchChecks, createOpenCheck, presentPerson } from '../discussion/discussion.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';

export const getRequestedReviewersByChangeRequestId = handler(
  'getRequestedReviewersByChangeRequestId',
  async ({ query }, context) => {
    const { db, space, changeRequest } = context;
    const requests = await readRows(
      db,
      findRequests(changeRequest.id, space.id, ...decodeTimeCursor(query.page), query.limit + 1),
    );
    return paginate(requests, query.limit, {
      item: (request) => presentRequest(request, context),
      getCursor: ({ createdAt, subject }) => [createdAt, subject],
    });
  },
);

type Operation = typeof collaboration.requestReviewersForChangeRequest;
type RequestContext = Context<Operation, CollaborationEnvironment>;

/**
 * Existing requests stay, and the reviewer's current review is superseded. Users can request themselves or one of their
 * own teams. If another user later requests the same reviewer, that other user becomes the requester, because only
 * requests by others give the right to review.
 */
export const requestReviewersForChangeRequest = handler(
  'requestReviewersForChangeRequest',
  async ({ body }, context) => {
    const { db, space, changeRequest, commit } = context;
    const reviewerIds = { users: [...new Set(body.users)], teams: [...new Set(body.teams)] };
    const checks = [
      ...createBranchChecks(context),
      createOpenCheck(changeRequest, 'sent to reviewers'),
      createReviewersCheck(space.id, { users: body.users, teams: body.teams ?? [] }),
    ];
    const changes = createChanges(context, reviewerIds, body);
    const spaceKeys = { organization: space.organization, space: space.id };
    const updated: NewEvent[] =
      changes.length === 0
        ? []
        : [{ type: 'change_request.updated', ...spaceKeys, data: { changeRequest: changeRequest.id } }];
    const requested: NewEvent[] =
      reviewerIds.users.length + reviewerIds.teams.length === 0
        ? []
        : [
            {
              type: 'change_request.reviewers_requested',
              ...spaceKeys,
              data: { changeRequest: changeRequest.id, ...reviewerIds },
            },
          ];
    const statements = [
      ...supersedeReviews(context, reviewerIds.users),
      ...insertRequests(context, reviewerIds),
      ...changes,
    ];
    const { named } = await commitChecked(db, checks, (guards) =>
      commit({ guards, statements, named: readNamedRequests(context, reviewerIds) }, [...requested, ...updated]),
    );
    return {
      users: named.filter(({ kind }) => kind === 'user').map((request) => presentRequest(request, context)),
      teams: named.filter(({ kind }) => kind === 'team').map((request) => presentRequest(request, context)),
    };
  },
);

/** Passes users and teams as one parameter: rows of kind and subject in the given order. */
const toSubjects = ({ users, teams }: ReviewerIds) =>
  sql`json_each(${JSON.stringify([...users.map((id) => ['user', id]), ...teams.map((id) => ['team', id])])})`;

const insertRequests = ({ db, space, changeRequest, actor }: RequestContext, reviewerIds: ReviewerIds): Statement[] => [
  db.run(sql`
    INSERT INTO requested_reviewers (change_request, kind, subject, space, organization, revision, requested_by, created_at)
    SELECT ${changeRequest.id}, value->>0, value->>1, s.id, s.organization, ${changeRequest.head.id}, ${actor.id}, ${Date.now()}
    FROM spaces s CROSS JOIN ${toSubjects(reviewerIds)} WHERE s.id = ${space.id}
    ON CONFLICT (change_request, kind, subject) DO UPDATE SET requested_by = excluded.requested_by
      WHERE kind = 'user' AND requested_by = subject
        OR kind = 'team' AND EXISTS (SELECT 1 FROM team_members tm WHERE tm.team = subject AND tm.user = requested_by)`),
];

const supersedeReviews = ({ db, changeRequest }: RequestContext, users: string[]): Statement[] => [
  db.run(sql`UPDATE reviews SET superseded_at = ${Date.now()}
    WHERE change_request = ${changeRequest.id} AND superseded_at IS NULL
      AND reviewer IN (SELECT value FROM json_each(${JSON.stringify(users)}))`),
];

function createChanges(
  { db, changeRequest }: RequestContext,
  reviewerIds: ReviewerIds,
  { subject, description }: HandlerInput<Operation>['body'],
) {
  const opens = changeRequest.status === 'draft' && reviewerIds.users.length + reviewerIds.teams.length > 0;
  if (!opens && subject === undefined && description === undefined) return [];
  return [
    db.run(sql`UPDATE change_requests SET updated_at = MAX(updated_at, ${Date.now()}),
      status = CASE WHEN ${opens ? 1 : 0} THEN 'open' ELSE status END,
      subject = COALESCE(${subject ?? null}, subject), description = COALESCE(${description ?? null}, description)
      WHERE id = ${changeRequest.id}`),
  ];
}

const readNamedRequests = ({ changeRequest }: RequestContext, reviewerIds: ReviewerIds) =>
  requestRow.query(sql`SELECT ${requestRow} FROM ${toSubjects(reviewerIds)} named
    CROSS JOIN requested_reviewers q CROSS JOIN users asker ON asker.id = q.requested_by
    LEFT JOIN users u ON u.id = q.subject AND q.kind = 'user'
    WHERE q.change_request = ${changeRequest.id} AND q.kind = named.value->>0 AND q.subject = named.value->>1
    ORDER BY named.key`);

/** The path contains the id of either a user or a team. */
export const removeRequestedReviewerFromChangeRequest = handler(
  'removeRequestedReviewerFromChangeRequest',
  async ({ params: { userId: reviewer } }, { db, space, changeRequest, commit }) => {
    const request = sql`FROM requested_reviewers
      WHERE change_request = ${changeRequest.id} AND kind IN ('user', 'team') AND subject = ${reviewer} AND space = ${space.id}`;
    const existsCheck = {
      condition: sql`EXISTS (SELECT 1 ${request})`,
      createError: () => notFound('requested reviewer'),
    };
    await commitChecked(db, [existsCheck], (guards) =>
      commit(
        [...guards, db.run(sql`DELETE ${request}`)],
        [
          {
            type: 'change_request.reviewer_removed',
            organization: space.organization,
            space: space.id,
            data: { changeRequest: changeRequest.id, reviewer },
          },
        ],
      ),
    );
    return undefined;
  },
);

const [q, requesterTable, u] = [
  aliasedTable(requestedReviewers, 'q'),
  aliasedTable(users, 'asker'),
  aliasedTable(users, 'u'),
];

const requestRow = selection({
  kind: q.kind,
  subject: q.subject,
  revision: q.revision,
  createdAt: q.createdAt,
  asker: createUserFields(requesterTable),
  user: nullable(userRow.fields),
});

const findRequests = prepareQuery(
  requestRow,
  (
    select,
    changeRequest: Parameter<ChangeRequestId>,
    space: Parameter<SpaceId>,
    time: Parameter<number>,
    id: Parameter<string>,
    limit: Parameter<number>,
  ) =>
    select
      .from(q)
      .crossJoin(requesterTable)
      .leftJoin(u, and(eq(u.id, q.subject), sql`${q.kind} = 'user'`))
      .where(
        and(
          eq(q.changeRequest, changeRequest),
          eq(q.space, space),
          eq(requesterTable.id, q.requestedBy),
          sql`(${q.createdAt}, ${q.subject}) < (${time}, ${id})`,
        ),
      )
      .orderBy(desc(q.createdAt), desc(q.subject))
      .limit(limit),
);

function presentRequest(
  { revision, asker, createdAt, user, subject }: RecordOf<typeof requestRow>,
  context: BranchContext,
): RequestedReviewer {
  const request = {
    object: 'change-request-requested-reviewer' as const,
    revision,
    requestedBy: presentPerson(asker, context),
    createdAt: formatTimestamp(createdAt),
  };
  return user === null
    ? { ...request, kind: 'team', team: { object: 'team', id: subject } }
    : { ...request, kind: 'user', user: presentPerson(user, context) };
}

interface ReviewerIds {
  users: string[];
  teams: string[];
}

const member = { user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` };

const faults: Record<string, string> = {
  users: 'must be an active member of the organization with access to the space',
  teams: 'must be a team of the organization',
};

/** Checks that all reviewers can review in the space: active members who may open it, and teams of its organization. */
function createReviewersCheck(space: SpaceId, { users, teams }: ReviewerIds): Check {
  const unfitUsers = sql`
    SELECT 'users.' || key AS path FROM json_each(${JSON.stringify(users)}) WHERE NOT EXISTS (
      SELECT 1 FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND m.user = value AND ${isListedUser(sql`m.user`)}
      WHERE s.id = ${space} AND ${selectSpaceRank(member)} > 0)
    UNION ALL SELECT 'teams.' || key FROM json_each(${JSON.stringify(teams)}) WHERE NOT EXISTS (
      SELECT 1 FROM spaces s CROSS JOIN teams t ON t.id = value AND t.organization = s.organization WHERE s.id = ${space})`;
  return {
    condition: sql`NOT EXISTS (${unfitUsers})`,
    failingValue: sql`(SELECT group_concat(path, ' ') FROM (${unfitUsers}))`,
    createError: (paths) =>
      invalid(
        (paths ?? '')
          .split(' ')
          .map((path) => ({ path: `body.${path}`, message: faults[path.split('.')[0] ?? ''] ?? '' })),
      ),
  };
}
