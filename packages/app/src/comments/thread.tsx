import type { Comment } from '@octavo/schema';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api.ts';
import { UiIcon } from '../ui/icon.tsx';
import { notifyError } from '../ui/notice.tsx';
import { CommentForm } from './comment-form.tsx';
import { type Discussion, useReplies } from './discussion.ts';
import { getUserName } from './names.ts';
import { Post } from './post.tsx';
import { Suggestion } from './suggestion.tsx';
import { readDraft } from './typed-drafts.ts';

interface CommentThreadProps {
  discussion: Discussion;
  comment: Comment;
  /** Whether the address names this comment. If it does, the comment is scrolled into view and focused. */
  isTarget?: boolean;
  /** The location of the comment: its page and the start of its block. */
  children?: ComponentChildren;
}

/** A comment with its replies. The replies to a resolved comment are hidden until the user opens it. */
export function CommentThread({ discussion, comment, isTarget = false, children }: CommentThreadProps): VNode {
  const path = `${discussion.path}/comments/${comment.id}`;
  const isResolved = comment.status === 'resolved';
  const [isOpened, setOpen] = useState(isTarget);
  const isOpen = isOpened || !isResolved;
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isTarget) article.current?.scrollIntoView({ block: 'center' });
    if (isTarget) article.current?.focus({ preventScroll: true });
  }, [isTarget]);
  const author = getUserName(comment.postedBy);
  const shared = { organization: discussion.organization };
  return (
    <article
      ref={article}
      class={isResolved ? 'thread resolved' : 'thread'}
      aria-label={`Comment by ${author}`}
      tabIndex={isTarget ? -1 : undefined}
    >
      {children}
      <Post {...shared} post={comment} path={path} reload={discussion.comments.reload} />
      {comment.suggestion !== undefined && (
        <Suggestion discussion={discussion} comment={comment} suggestion={comment.suggestion} />
      )}
      {isOpen && <Replies discussion={discussion} comment={comment} path={path} />}
      {!isOpen && comment.replies > 0 && (
        <button type="button" class="text-button" onClick={() => setOpen(true)}>
          {comment.replies === 1 ? 'Show 1 reply' : `Show ${comment.replies} replies`}
        </button>
      )}
      <ThreadActions discussion={discussion} comment={comment} path={path} open={() => setOpen(true)} />
    </article>
  );
}

interface ThreadPartProps {
  discussion: Discussion;
  comment: Comment;
  path: string;
}

function Replies({ discussion, comment, path }: ThreadPartProps): VNode | null {
  const replies = useReplies(path, comment);
  const reload = async (): Promise<void> => {
    await Promise.all([replies.reload(), discussion.comments.reload()]);
  };
  if (replies.value === undefined || comment.replies === 0) return null;
  return (
    <ol class="replies">
      {replies.value.map((reply) => (
        <li key={reply.id}>
          <Post
            post={reply}
            path={`${path}/replies/${reply.id}`}
            organization={discussion.organization}
            reload={reload}
          />
        </li>
      ))}
    </ol>
  );
}

function ThreadActions({ discussion, comment, path, open }: ThreadPartProps & { open: () => void }): VNode | null {
  const target = { path, form: 'reply' } as const;
  const [isReplying, setReplying] = useState(() => readDraft(target) !== undefined);
  const isResolved = comment.status === 'resolved';
  if (!comment.permissions.reply) return null;
  const reply = async (markdown: string): Promise<void> => {
    await api('POST', `${path}/replies`, { body: { body: { markdown } } });
    setReplying(false);
    open();
    await discussion.comments.reload();
  };
  const resolve = async (): Promise<void> => {
    await api('PUT', path, { body: { resolved: !isResolved } });
    await discussion.comments.reload();
  };
  if (isReplying)
    return (
      <CommentForm
        target={target}
        label="Reply"
        submit="Reply"
        organization={discussion.organization}
        isFocused
        onSubmit={reply}
        onCancel={() => setReplying(false)}
      />
    );
  return (
    <footer class="thread-actions">
      <button type="button" class="button small" onClick={() => setReplying(true)}>
        Reply
      </button>
      <button type="button" class="button small" onClick={() => resolve().catch(notifyError)}>
        {!isResolved && <UiIcon name="check" />}
        {isResolved ? 'Reopen' : 'Resolve'}
      </button>
      {isResolved && comment.resolvedBy !== undefined && <small>Resolved by {getUserName(comment.resolvedBy)}</small>}
    </footer>
  );
}
