import type { Comment } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { EmptyState, LoadedContent, ShowMore } from '../ui/states.tsx';
import { CommentForm } from './comment-form.tsx';
import { type Discussion, postComment } from './discussion.ts';
import { CommentThread } from './thread.tsx';

interface DiscussionViewProps {
  discussion: Discussion;
  /** The name of the form for a new comment. */
  label: string;
  /** The id of the comment that the address names. */
  target?: string | undefined;
}

const filters: [Comment['status'] | 'all', string][] = [
  ['all', 'All'],
  ['open', 'Open'],
  ['resolved', 'Resolved'],
];

/** Says that older comments are not shown, and shows them when the user asks for them. */
export const OlderComments = ({ discussion: { showOlder } }: { discussion: Discussion }): VNode | null =>
  showOlder === undefined ? null : (
    <div class="older-comments">
      <p class="muted">Only the newest comments are shown.</p>
      <ShowMore label="Show older comments" onClick={showOlder} />
    </div>
  );

/** The comments of a change request or a space, oldest first. */
export function DiscussionView({ discussion, label, target }: DiscussionViewProps): VNode {
  const [filter, setFilter] = useState<Comment['status'] | 'all'>('all');
  return (
    <div class="discussion">
      <LoadedContent loaded={discussion.comments}>
        {(comments) => {
          const shown = comments.filter(({ status }) => filter === 'all' || status === filter);
          return (
            <>
              <fieldset class="segments" aria-label="Show comments">
                {filters.map(([value, name]) => (
                  <button key={value} type="button" aria-pressed={filter === value} onClick={() => setFilter(value)}>
                    {name}
                  </button>
                ))}
              </fieldset>
              <OlderComments discussion={discussion} />
              {shown.length === 0 && (
                <EmptyState icon="comment" title={comments.length === 0 ? 'No comments yet' : 'No comments here'} />
              )}
              {shown.map((comment) => (
                <CommentThread
                  key={comment.id}
                  discussion={discussion}
                  comment={comment}
                  isTarget={comment.id === target}
                >
                  <ThreadPlace comment={comment} />
                </CommentThread>
              ))}
            </>
          );
        }}
      </LoadedContent>
      {discussion.canComment && (
        <CommentForm
          target={{ path: discussion.path, form: 'comment' }}
          label={label}
          submit="Comment"
          organization={discussion.organization}
          onSubmit={(markdown) => postComment(discussion, markdown, {})}
        />
      )}
    </div>
  );
}

function ThreadPlace({ comment: { target } }: { comment: Comment }): VNode | null {
  const { page, node, review } = target;
  if (review !== undefined) return <p class="thread-place">Review</p>;
  if (page === undefined) return null;
  return (
    <p class="thread-place">
      {page.title}
      {page.outdated && ' (changed since)'}
      {node?.preview !== undefined && <q>{node.preview}</q>}
    </p>
  );
}
