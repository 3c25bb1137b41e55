import { ids, user } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { requestedReviewer, review } from './examples.ts';

export const reviews: ResourceDocumentation = {
  operations: {
    getReviewsByChangeRequestId: {
      description: 'Lists the reviews of a change request, newest first.',
      parameters: {
        outdated: 'Lists only outdated reviews, or only current ones.',
        format: 'The format of the comments: Markdown, or a tree of blocks. The default is `markdown`.',
      },
    },
    submitChangeRequestReview: {
      description:
        'Reviews a change request. The earlier reviews of the caller become outdated, and the requests for a review ' +
        'by the caller and their teams are completed. Requires the role `review`, or a request by another user, which ' +
        'allows one review. Returns 409 if the change request is merged or archived. Send the revision that you read as ' +
        '`If-Match` to approve no later edit: the response is 412 if the change request has changed since.',
      body: {
        status: 'The result of the review.',
        comment: 'A comment. If it is omitted or empty, no comment is created.',
      },
      example: { body: { status: 'changes-requested', comment: { markdown: 'Name the version.' } } },
    },
    getChangeRequestReviewById: {
      description: 'Returns a review of a change request.',
      parameters: {
        format: 'The format of the comment: Markdown, or a tree of blocks. The default is `markdown`.',
      },
    },
    getRequestedReviewersByChangeRequestId: {
      description:
        'Lists the users and teams who were asked to review a change request and have not reviewed it yet, the latest ' +
        'first.',
    },
    requestReviewersForChangeRequest: {
      description:
        'Asks users and teams to review a change request. A draft becomes open. Current reviews of these users become ' +
        'outdated, and users who were asked before stay asked. Returns 400 if a user cannot open the space, and 409 if ' +
        'the change request is merged or archived. Requires the role `edit`.',
      body: {
        users: 'The ids of the users.',
        teams: 'The ids of the teams.',
        subject: 'A new subject for the change request. If omitted, it is unchanged.',
        description: 'A new description for the change request. If omitted, it is unchanged.',
      },
      response: { users: 'The requests to users.', teams: 'The requests to teams.' },
      example: {
        body: { users: [ids.colleague], teams: [] },
        response: { users: [requestedReviewer], teams: [] },
      },
    },
    removeRequestedReviewerFromChangeRequest: {
      description:
        'Removes the request for a review by a user or a team. Requires the role `edit`; users can also remove a ' +
        'request to themselves.',
      parameters: { userId: 'The id of the user or the team.' },
    },
  },
  schemas: {
    Review: {
      description: 'A review of a change request.',
      properties: {
        revision: 'The revision of the change request that was reviewed.',
        reviewer: 'The user who reviewed.',
        requestedBy: 'The user who asked for the review. Absent if no user did.',
        status: 'The result of the review.',
        outdated:
          'Whether the reviewer has reviewed or was asked again since, or the change request was edited. An update with ' +
          'the live content is not an edit.',
        comment: 'The comment of the review. Absent if there is none.',
      },
      example: review,
    },
    ReviewStatus: { description: 'The result of a review.', example: 'approved' },
    RequestedReviewer: {
      description: 'A request to a user or a team to review a change request.',
      properties: {
        revision: 'The id of the revision of the change request at the time of the request.',
        requestedBy: 'The user who asked.',
        createdAt: 'The time of the request.',
        kind: 'Whether a user or a team was asked.',
        user: 'The user who was asked.',
        team: 'The team that was asked.',
        'team.object': 'The kind of object.',
        'team.id': 'The id of the team.',
      },
      example: requestedReviewer,
    },
    Contributor: {
      description: 'A user who edited a change request or commented on it. A user who did both has two entries.',
      properties: {
        user: 'The user who contributed.',
        actionType: 'The kind of contribution.',
        count: 'The number of edits or comments.',
        updatedAt: 'The time of the latest one.',
      },
      example: { user, actionType: 'edit', count: 3, updatedAt: '2026-03-02T13:45:00.000Z' },
    },
  },
};
