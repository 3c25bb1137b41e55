import type { Statement } from '@octavo/db';
import { commitChecked } from '@octavo/db';
import type { Context, Handler, HandlerInput } from '@octavo/runtime';
import type { collaboration, NewEvent } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { undecided } from '../change-requests/undecided.ts';
import { branchExists } from '../discussion/checks.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { presentRequest, requestJoins, requestRow } from './requested-reviewer.ts';
import type { Asked } from './reviewers-fit.ts';
import { reviewersFit } from './reviewers-fit.ts';

type Operation = typeof collaboration.requestReviewersForChangeRequest;
type Asking = Context<Operation, CollaborationEnvironment>;

/**
 * Who was asked already stays so; a review by somebody who is asked again counts no longer. A request to oneself, or to
 * a team of one's own, becomes that of whoever asks after: only what others ask for gives the right to review.
 */
export const requestReviewersForChangeRequest: Handler<Operation, CollaborationEnvironment> = async (
  { body },
  context,
) => {
  const { db, space, changeRequest, commit } = context;
  const asked = { users: [...new Set(body.users)], teams: [...new Set(body.teams)] };
  const checks = [
    ...branchExists(context),
    undecided(changeRequest, 'sent to reviewers'),
    reviewersFit(space.id, { users: body.users, teams: body.teams ?? [] }),
  ];
  const changes = changeOf(context, asked, body);
  const of = { organization: space.organization, space: space.id };
  const updated: NewEvent[] =
    changes.length === 0 ? [] : [{ type: 'change_request.updated', ...of, data: { changeRequest: changeRequest.id } }];
  const requested: NewEvent[] =
    asked.users.length + asked.teams.length === 0
      ? []
      : [{ type: 'change_request.reviewers_requested', ...of, data: { changeRequest: changeRequest.id, ...asked } }];
  const statements = [...supersede(context, asked.users), ...ask(context, asked), ...changes];
  const { named } = await commitChecked(db, checks, (guards) =>
    commit({ guards, statements, named: namedRequests(context, asked) }, [...requested, ...updated]),
  );
  return {
    users: named.filter(({ kind }) => kind === 'user').map((request) => presentRequest(request, context)),
    teams: named.filter(({ kind }) => kind === 'team').map((request) => presentRequest(request, context)),
  };
};

/** Both kinds as one parameter: rows of kind and subject, in the order given. */
const subjectsOf = ({ users, teams }: Asked) =>
  sql`json_each(${JSON.stringify([...users.map((id) => ['user', id]), ...teams.map((id) => ['team', id])])})`;

const ask = ({ db, space, changeRequest, actor }: Asking, asked: Asked): Statement[] => [
  db.run(sql`
    INSERT INTO requested_reviewers (change_request, kind, subject, space, organization, revision, requested_by, created_at)
    SELECT ${changeRequest.id}, value->>0, value->>1, s.id, s.organization, ${changeRequest.head.id}, ${actor.id}, ${Date.now()}
    FROM spaces s CROSS JOIN ${subjectsOf(asked)} WHERE s.id = ${space.id}
    ON CONFLICT (change_request, kind, subject) DO UPDATE SET requested_by = excluded.requested_by
      WHERE kind = 'user' AND requested_by = subject
        OR kind = 'team' AND EXISTS (SELECT 1 FROM team_members tm WHERE tm.team = subject AND tm.user = requested_by)`),
];

const supersede = ({ db, changeRequest }: Asking, users: string[]): Statement[] => [
  db.run(sql`UPDATE reviews SET superseded_at = ${Date.now()}
    WHERE change_request = ${changeRequest.id} AND superseded_at IS NULL
      AND reviewer IN (SELECT value FROM json_each(${JSON.stringify(users)}))`),
];

function changeOf(
  { db, changeRequest }: Asking,
  asked: Asked,
  { subject, description }: HandlerInput<Operation>['body'],
) {
  const opens = changeRequest.status === 'draft' && asked.users.length + asked.teams.length > 0;
  if (!opens && subject === undefined && description === undefined) return [];
  return [
    db.run(sql`UPDATE change_requests SET updated_at = MAX(updated_at, ${Date.now()}),
      status = CASE WHEN ${opens ? 1 : 0} THEN 'open' ELSE status END,
      subject = COALESCE(${subject ?? null}, subject), description = COALESCE(${description ?? null}, description)
      WHERE id = ${changeRequest.id}`),
  ];
}

const namedRequests = ({ changeRequest }: Asking, asked: Asked) =>
  requestRow.query(sql`SELECT ${requestRow} FROM ${subjectsOf(asked)} named CROSS JOIN ${requestJoins}
    WHERE q.change_request = ${changeRequest.id} AND q.kind = named.value->>0 AND q.subject = named.value->>1
    ORDER BY named.key`);
