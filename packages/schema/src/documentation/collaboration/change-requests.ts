import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { changeRequest, conflict, mergeRule } from './examples.ts';

const filters = {
  creator: 'Lists only change requests that the user with this id created.',
  contributor: 'Lists only change requests that the user with this id edited or commented on.',
  requestedReviewer:
    'Lists only change requests that the user with this id was asked to review, directly or through a team, and has ' +
    'not reviewed yet.',
  orderBy: 'The time that determines the order, latest first. The default is `createdAt`.',
};

const subject = 'The subject of the change request.';

const description = 'The reason for the change, in Markdown.';

const rulesTexts = {
  type: '`rules` if there are rules, otherwise `none`.',
  rules:
    'The rules, all of which must pass: at most 20, with at most 8,192 characters as JSON. Each kind is allowed once, ' +
    'except for `custom`.',
};

export const changeRequests: ResourceDocumentation = {
  operations: {
    listChangeRequestsForSpace: {
      description: 'Lists the change requests of a space with a status, the latest first.',
      parameters: { ...filters, status: 'The status to list. The default is `open`.' },
    },
    listChangeRequestsForOrganization: {
      description:
        'Lists the change requests of all spaces of the organization that the caller can see, the latest first. ' +
        'Change requests of deleted spaces are not listed.',
      parameters: {
        ...filters,
        status: 'The statuses to list. The default is `open`.',
        space: 'Lists only change requests of the space with this id.',
        site: 'Not supported: returns 400.',
      },
    },
    createChangeRequest: {
      description:
        'Creates a change request as a draft, with the next number in the space. The live content does not change ' +
        'until it is merged. Requires the role `edit`.',
      body: {
        subject: 'The subject. Empty by default.',
        description,
        agentTaskId: 'The id of the task of an AI agent. Accepted for compatibility and ignored.',
        revision:
          'The id of the revision to start from: a revision of the live content or of another change request. The ' +
          'default is the current live content.',
      },
      example: { body: { subject: changeRequest.subject, description: changeRequest.description } },
    },
    getChangeRequestById: {
      description:
        'Returns a change request. In the preview of a site, e-mail addresses and the number of comments are left out.',
    },
    updateChangeRequestById: {
      description:
        'Changes the subject, the description or the status of a change request. Omitted fields are unchanged. ' +
        'Returns 409 if it is merged. Requires the role `edit`.',
      body: {
        subject,
        description: 'The reason for the change, in Markdown. An empty text removes it.',
        status: 'The new status. An archived change request can become a draft or open again.',
      },
      example: { body: { subject: changeRequest.subject, status: 'open' } },
    },
    mergeChangeRequest: {
      description:
        'Merges a change request into the live content as one revision. If both changed the same part, nothing is ' +
        'written and `result` is `conflicts`: update the change request and resolve them. Returns 409 if the change ' +
        'request is merged or archived, or if conflicts of an update are unresolved (listed in `error.conflicts`), ' +
        'and 412 if merge rules do not pass (listed in `error.issues`). Requires the role `review`.',
    },
    updateChangeRequest: {
      description:
        'Merges the live content into a change request as one revision. Parts that both changed keep the value of ' +
        'the change request until the conflict is resolved; in texts, both versions are marked. Returns 409 if the ' +
        'change request is merged or archived. Requires the role `edit`.',
    },
    getContributorsByChangeRequestId: {
      description: 'Lists the users who edited a change request or commented on it: editors first, then commenters.',
    },
  },
  schemas: {
    ChangeRequest: {
      description: 'A proposed change of the content of a space.',
      properties: {
        space: 'The id of the space.',
        number: 'The number of the change request in its space, from 1.',
        status: 'The status of the change request.',
        subject: 'The subject. It can be empty.',
        description: `${description.slice(0, -1)}. Absent if it is empty.`,
        createdBy: 'The user who created the change request.',
        revision: 'The id of the current revision of the change request.',
        revisionInitial: 'The id of the revision that the change request started from.',
        revisionMergedAncestor:
          'The id of the live revision that the change request was last updated to. Absent if it was never updated.',
        revisionMerged: 'The id of the revision that the merge created. Absent unless it is merged.',
        mergedBy: 'The user who merged the change request. Absent unless it is merged.',
        mergedAt: 'The time of the merge. Absent unless it is merged.',
        comments: 'The number of open comments.',
        outdated:
          'Whether the live content has changed since the change request was created or last updated. False once it ' +
          'is merged.',
        'urls.app': 'The URL of the change request in the app.',
        warnings:
          'Invalid values of frontmatter, which are stored but have no effect. Only in the response to a change of ' +
          'the content.',
        'warnings[].path': 'The location of the value in the request.',
        'warnings[].message': 'A description of the problem.',
      },
      example: changeRequest,
    },
    ChangeRequestStatus: {
      description:
        'The status of a change request. `draft`: it is not ready for review. `open`: it is ready for review. ' +
        '`archived`: it is closed without a merge. `merged`: it is part of the live content and cannot be changed.',
      example: 'open',
    },
    MergeResult: {
      description: 'The result of a merge.',
      properties: {
        revision: 'The id of the new live revision, or of the current one if there are conflicts.',
        result: 'Whether the change request was merged, or has conflicts and nothing was written.',
        conflicts: 'The conflicts. Absent if there are none.',
      },
      example: { revision: ids.revision, result: 'merge' },
    },
    UpdateResult: {
      description: 'The result of an update.',
      properties: {
        revision: 'The id of the current revision of the change request.',
        result: 'Whether the change request was updated without conflicts, or has conflicts to resolve.',
        conflicts: 'The conflicts. Absent if there are none.',
      },
      example: { revision: ids.draftRevision, result: 'conflicts', conflicts: [conflict] },
    },
    MergeConflict: {
      description: 'A conflict between two changes of the same object.',
      properties: {
        kind: 'The kind of object.',
        id: 'The id of the object. For a variable, its name.',
        title: 'The title of the object. Absent if it has none.',
        field: 'The part of the object that is in conflict, such as `title` or `document`.',
        message: 'A description of the conflict.',
      },
      example: conflict,
    },
    MergeRule: {
      description:
        'A condition for merging a change request. The latest review of each reviewer counts, except for reviews by ' +
        'the creator of the change request and by users who can no longer open the space. An edit ends earlier ' +
        'approvals.',
      variants: {
        require_specific_reviewers: 'All of these users must have approved the current content.',
        require_one_of_specific_reviewers: 'One of these users must have approved the current content.',
        allow_bypass: 'These users can merge even if other rules do not pass.',
        custom: 'The expression must be true.',
      },
      properties: {
        rule:
          'The kind of rule. `require_at_least_one_review`: a reviewer has approved the current content or requested ' +
          'changes. `require_at_least_one_approved_review`: a reviewer has approved the current content. ' +
          '`require_all_reviews_approved`: all reviewers and all requested reviewers have approved it. ' +
          '`require_up_to_date_change_request`: the change request is not outdated. ' +
          '`require_change_request_subject`: the subject is not empty. `require_change_request_description`: the ' +
          'description is not empty. `require_author_to_merge`: the creator of the change request merges it.',
        users: 'The ids of the users.',
        expression:
          'An expression with the variables `space`, `changeRequest`, `reviews` and `actor` (the user who merges), ' +
          'which have the properties that the API returns.',
        message: 'The message if the expression is not true. If omitted, the message contains the expression.',
      },
      example: mergeRule,
    },
    MergeRules: {
      description: 'The rules for merging change requests, which the spaces of an organization inherit.',
      properties: rulesTexts,
      example: { type: 'rules', rules: [mergeRule] },
    },
    SpaceMergeRules: {
      description: 'The rules for merging change requests of a space.',
      properties: {
        ...rulesTexts,
        type: '`inherit` for the rules of the organization, `rules` for those of the space, or `none`.',
      },
      example: { type: 'inherit' },
    },
  },
};
