import { ids, space } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { addPathPrefix, forEachContent } from '../documentation.ts';
import { comment, commentBody, reaction, reply, target } from './examples.ts';

const format = { format: 'The format of the body: Markdown, or a tree of blocks. The default is `markdown`.' };

const live = 'the live content of a space';

const changeRequest = 'a change request';

const reactions = {
  addedReactions: 'Emoji to add for the caller, as characters or as code points. Existing ones are ignored.',
  removedReactions: 'Emoji to remove for the caller. Missing ones are ignored.',
};

const roleNote = 'Requires the role `comment`. Only the author can change the body.';

const deletion = 'Only the author and users with the role `create` can delete it.';

const mentions =
  'In the text, `@` and the id of a user mentions the user. Returns 400 if a mentioned user is not a member who can ' +
  'open the space. Guests can mention only themselves. Requires the role `comment`.';

const posted = {
  postedBy: 'The user who posted it.',
  postedAt: 'The time at which it was posted.',
  editedAt: 'The time of the last change of the body. Absent if it was never changed.',
  reactions: 'The reactions, by emoji, in the order in which they were first added.',
  body: 'The text in the requested format.',
};

const filters = {
  ...format,
  order: 'The order by time. The default is `desc`, newest first.',
  status: 'Lists only open or only resolved comments. The default is `all`.',
  authors: 'Lists only comments by the users with these ids.',
};

const { outdated: _, ...postedPage } = target.page;

const commentTexts = {
  ...posted,
  replies: 'The number of replies.',
  suggestion: 'The text that the comment suggests for its block. Absent if it suggests none.',
  target: 'The content that the comment is about.',
  permissions: 'The rights of the caller on the comment.',
  status: 'The status of the comment.',
  resolvedAt: 'The time at which the comment was resolved. Absent while it is open.',
  resolvedBy: 'The user who resolved the comment. Absent while it is open.',
};

const targetTexts = {
  space: 'The id of the space.',
  revision: 'The id of the revision in which the comment was posted.',
  changeRequest: 'The id of the change request. Absent for a comment on the live content.',
  review: 'The id of the review that the comment belongs to. Absent if there is none.',
  page: 'The page. Absent if the comment is about the whole content.',
  'page.id': 'The id of the page.',
  'page.title': 'The title of the page.',
  'page.emoji': 'The emoji of the page, as code points. Absent if none is set.',
  'page.icon': 'The name of the icon. Absent if none is set.',
  'page.createdAt': 'The time at which the page was created.',
  'page.updatedAt': 'The time of the last change of the page.',
  'page.path': 'The path of the page in the space.',
  node: 'The block. Absent if the comment is about the whole page.',
  'node.id': 'The current key of the block.',
  'node.preview': 'The beginning of the text of the block. Absent if it is not known.',
};

export const comments: ResourceDocumentation = {
  operations: {
    listCommentsInOrganization: {
      description:
        'Lists the comments in all spaces of the organization that the caller can see, on the live content and on ' +
        'change requests. The pages and blocks that they are about are described as they were when the comment was ' +
        'posted; read the comment at its location for their current state.',
      parameters: { ...filters, mention: 'Lists only comments whose text mentions the user with this id.' },
    },
    ...forEachContent({ listCommentsInSpace: live, listCommentsInChangeRequest: changeRequest }, (content) => ({
      description: `Lists the comments on ${content}, with the current state of the pages and blocks they are about.`,
      parameters: {
        ...filters,
        targetPage: 'Lists only comments on the page with this id.',
      },
    })),
    ...forEachContent({ postCommentInSpace: live, postCommentInChangeRequest: changeRequest }, (content) => ({
      description: `Posts a comment on ${content}, on a page in it, or on a block of a page. ${mentions}`,
      body: {
        ...(content === changeRequest && {
          suggestion:
            'A text that replaces the block when the suggestion is applied. Requires a block that is not inside ' +
            'another block. A text that would change more than the block is rejected: it contains frontmatter, or a ' +
            'comment or code block that does not end in it.',
          'suggestion.markdown': 'The text in Markdown, at most 64 KiB. An empty text removes the block.',
        }),
        page: 'The id of the page. If omitted, the comment is about the whole content.',
        node: 'The key of the block on the page. Included blocks have no key. If omitted, the comment is about the whole page.',
        body: 'The text of the comment.',
      },
      example: { body: { page: ids.page, node: target.node.id, body: commentBody } },
    })),
    ...forEachContent({ getCommentInSpace: live, getCommentInChangeRequest: changeRequest }, (content) => ({
      description: `Returns a comment on ${content}.`,
      parameters: format,
    })),
    ...forEachContent({ updateCommentInSpace: live, updateCommentInChangeRequest: changeRequest }, (content) => ({
      description:
        `Changes the body, the status or the reactions of a comment on ${content}, all or nothing. ${roleNote} Returns 409 ` +
        'if the comment would have more than 50 different emoji.',
      body: {
        ...reactions,
        resolved: 'Whether the comment is resolved. False opens it again.',
        body: 'The new text.',
      },
      example: { body: { resolved: true, addedReactions: ['👍'] } },
    })),
    ...forEachContent({ deleteCommentInSpace: live, deleteCommentInChangeRequest: changeRequest }, (content) => ({
      description: `Deletes a comment on ${content} with its replies and reactions. ${deletion}`,
    })),
    ...forEachContent(
      { listCommentRepliesInSpace: live, listCommentRepliesInChangeRequest: changeRequest },
      (content) => ({
        description: `Lists the replies to a comment on ${content}, newest first.`,
        parameters: format,
      }),
    ),
    ...forEachContent({ postCommentReplyInSpace: live, postCommentReplyInChangeRequest: changeRequest }, (content) => ({
      description: `Posts a reply to a comment on ${content}. ${mentions} Returns 409 if the comment has 1,000 replies.`,
      ...(content === changeRequest && { parameters: format }),
      body: { body: 'The text of the reply.' },
      example: { body: { body: reply.body } },
    })),
    ...forEachContent({ getCommentReplyInSpace: live, getCommentReplyInChangeRequest: changeRequest }, (content) => ({
      description: `Returns a reply to a comment on ${content}.`,
      parameters: format,
    })),
    ...forEachContent(
      { updateCommentReplyInSpace: live, updateCommentReplyInChangeRequest: changeRequest },
      (content) => ({
        description:
          `Changes the body or the reactions of a reply to a comment on ${content}, all or nothing. ${roleNote} Returns 409 ` +
          'if the reply would have more than 50 different emoji.',
        body: { ...reactions, body: 'The new text.' },
        example: { body: { body: { markdown: 'About version 2.4 and later.' } } },
      }),
    ),
    ...forEachContent(
      { deleteCommentReplyInSpace: live, deleteCommentReplyInChangeRequest: changeRequest },
      (content) => ({ description: `Deletes a reply to a comment on ${content}. ${deletion}` }),
    ),
    ...forEachContent({ listCommentersInSpace: live, listCommentersInChangeRequest: changeRequest }, (content) => ({
      description: `Lists the members who posted a comment or reply on ${content}, ordered by id. For a guest, the list contains at most the guest.`,
    })),
  },
  schemas: {
    Comment: {
      description: 'A comment on a space, a change request, a page or a block.',
      properties: commentTexts,
      example: comment,
    },
    OrganizationComment: {
      description: 'A comment in the list of an organization.',
      properties: {
        ...commentTexts,
        ...addPathPrefix('target', targetTexts),
        space: 'The space that contains the comment.',
        'space.id': 'The id of the space.',
        'space.title': 'The title of the space.',
        changeRequest: 'The change request. Absent for a comment on the live content.',
        'changeRequest.id': 'The id of the change request.',
        'changeRequest.number': 'The number of the change request in its space.',
        'changeRequest.subject': 'The subject of the change request.',
      },
      example: {
        ...comment,
        target: { ...target, page: postedPage },
        space: { id: ids.space, title: space.title },
        changeRequest: { id: ids.changeRequest, number: 14, subject: 'Describe the installer' },
      },
    },
    CommentReply: {
      description: 'A reply to a comment.',
      properties: { ...posted, permissions: 'The rights of the caller on the reply.' },
      example: reply,
    },
    CommentBody: {
      description: 'The text of a comment or reply, in the requested format.',
      properties: {
        markdown: 'The text as Markdown. Absent in the other format.',
        document: 'The text as a tree of blocks. Absent in the other format.',
      },
      example: commentBody,
    },
    CommentBodyInput: {
      description: 'The text of a comment or reply, in one of two formats.',
      properties: {
        markdown: 'The text as Markdown, at most 64 KiB. `@` and the id of a user mentions the user, at most 50 users.',
        document: 'The text as a tree of blocks.',
      },
      example: commentBody,
    },
    CommentSuggestion: {
      description: 'The text that a comment suggests for its block.',
      properties: {
        before: 'The Markdown of the block when the comment was posted.',
        markdown: 'The suggested Markdown.',
        revision: 'The id of the revision that applied the suggestion. Absent if it was not applied.',
      },
      example: { before: 'Run the installer.', markdown: 'Run the installer as root.' },
    },
    CommentTarget: {
      description: 'The content that a comment is about.',
      properties: {
        ...targetTexts,
        'page.outdated':
          'Whether the page or the block has been deleted. Then the other properties describe its last known state.',
      },
      example: target,
    },
    CommentPermissions: {
      description: 'The rights of the caller on a comment or reply.',
      properties: {
        view: 'Whether the caller may read it.',
        edit: 'Whether the caller may change its text.',
        reply: 'Whether the caller may reply to the comment and resolve it.',
        react: 'Whether the caller may react to it.',
        delete: 'Whether the caller may delete it.',
      },
      example: comment.permissions,
    },
    CommentStatus: { description: 'The status of a comment.', example: 'open' },
    Reaction: {
      description: 'The users who reacted with the same emoji.',
      properties: {
        emoji: 'The emoji, as code points.',
        count: 'The number of users.',
        users: 'The first 100 users, and the caller.',
        'users[].user': 'The user who reacted.',
        'users[].reactedAt': 'The time of the reaction.',
      },
      example: reaction,
    },
  },
};
