import { comments, selection } from '@octavo/db';
import { presentChangeRequest } from '@octavo/runtime';
import { conflict, notFound } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { rejectResolved } from '../../engine/edit/suggestions.ts';
import { handler } from '../../handler.ts';
import { getHead, limitEdit } from '../../heads/call-head.ts';

const c = aliasedTable(comments, 'c');
const suggestionRow = selection({
  page: c.page,
  node: c.node,
  document: c.document,
  suggestion: c.suggestion,
  resolvedAt: c.resolvedAt,
});

/** Replaces the block of a comment by the suggested text and resolves the comment, as one revision. */
export const applySuggestionInChangeRequest = handler('applySuggestionInChangeRequest', {
  reads: ({ params }, { space, branch }) => ({
    comments: suggestionRow.query(sql`
      SELECT ${suggestionRow} FROM comments c WHERE c.id = ${params.commentId} AND c.branch = ${branch} AND c.space = ${space}`),
  }),
  handle: async ({ params }, context, { comments: [comment] }) => {
    const { env, space, caller, callWorker, expected, changeRequest, urls } = context;
    if (comment === undefined) throw notFound('comment');
    const { page, node, document, suggestion, resolvedAt } = comment;
    if (suggestion === null || page === null || node === null) throw conflict('The comment has no suggestion.');
    if (resolvedAt !== null) throw rejectResolved();
    const edit = limitEdit({
      ...caller,
      space: space.id,
      branch: changeRequest.id,
      changes: [{ change: { operation: 'update_page', page, document: { markdown: '' } }, document: undefined }],
      base: undefined,
      expected,
      suggestion: {
        ...{ comment: params.commentId, changeRequest: changeRequest.id },
        ...{ node, document, markdown: suggestion.markdown },
      },
    });
    const { revision } = await callWorker(() => getHead(env, space.id).edit(edit));
    const head = { ...changeRequest.head, id: revision };
    return presentChangeRequest({ ...changeRequest, head, updatedAt: Date.now() }, urls);
  },
});
