import type { ChangeRequestId, Comment, CommentTarget, SpaceId, TargetState } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import type { BranchContext, ViewerContext } from '../discussion/discussion.ts';
import { getCommentsPath, presentBody, presentPerson, presentPosted } from '../discussion/discussion.ts';
import type { CommentRecord } from './queries.ts';

type Format = 'markdown' | 'document';

/** Presents comments with the current state of their targets, which one call reads for all of them. */
export async function presentComments(
  records: CommentRecord[],
  format: Format,
  context: BranchContext,
): Promise<Comment[]> {
  const pageComments = records.filter(({ page }) => page !== null);
  const states = pageComments.length === 0 ? [] : await readStates(pageComments, context);
  const byComment = new Map(pageComments.map(({ id }, index) => [id, states[index]]));
  return records.map((record) => presentWithState(record, byComment.get(record.id), { format, context }));
}

export async function presentComment(record: CommentRecord, format: Format, context: BranchContext): Promise<Comment> {
  const [comment] = await presentComments([record], format, context);
  if (comment === undefined) throw new TypeError('The comment could not be presented.');
  return comment;
}

const readStates = (records: CommentRecord[], { env, callWorker, space, point }: BranchContext) =>
  callWorker((bookmark) =>
    env.CONTENT.readTargets(
      {
        space: space.id,
        lineage: point.lineage,
        targets: records.map(({ page, node, document }) => ({
          page: page ?? '',
          ...(node === null ? {} : { node }),
          ...(document === null ? {} : { document }),
        })),
      },
      bookmark,
    ),
  );

/** The branch of a comment, and the caller for whom it is presented. */
type CommentContext = ViewerContext & { space: { id: SpaceId }; changeRequest?: { id: ChangeRequestId } | undefined };

interface Presenting {
  format: Format;
  context: CommentContext;
}

export function presentWithState(
  record: CommentRecord,
  state: TargetState | undefined,
  { format, context }: Presenting,
): Comment {
  const { resolvedAt, resolvedBy } = record;
  const posted = presentPosted(record, context);
  return {
    object: 'comment',
    ...posted,
    replies: record.replies,
    body: presentBody(record.body, format),
    ...(record.suggestion === null ? {} : { suggestion: record.suggestion }),
    target: presentTarget(record, state, context),
    urls: { location: context.urls.location(`${getCommentsPath(context)}/${record.id}`) },
    status: resolvedAt === null ? 'open' : 'resolved',
    ...(resolvedAt === null ? {} : { resolvedAt: formatTimestamp(resolvedAt) }),
    ...(resolvedAt === null || resolvedBy === null ? {} : { resolvedBy: presentPerson(resolvedBy, context) }),
  };
}

/** A deleted page or node is shown as it was when the comment was posted. */
function presentTarget(
  { node, about, review, revision }: CommentRecord,
  state: TargetState | undefined,
  { space, changeRequest }: CommentContext,
): CommentTarget {
  const page = state?.page ?? about?.page;
  const preview = state?.node?.preview ?? about?.preview;
  return {
    space: space.id,
    revision,
    ...(changeRequest === undefined ? {} : { changeRequest: changeRequest.id }),
    ...(review === null ? {} : { review }),
    ...(page === undefined ? {} : { page: { ...page, outdated: state?.outdated ?? true } }),
    ...(node === null ? {} : { node: { id: state?.node?.id ?? node, ...(preview === undefined ? {} : { preview }) } }),
  };
}
