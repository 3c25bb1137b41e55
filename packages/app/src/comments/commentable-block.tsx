import type { Comment } from '@octavo/schema';
import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { UiIcon } from '../ui/icon.tsx';
import { CommentForm } from './comment-form.tsx';
import { type Discussion, postComment } from './discussion.ts';
import { SuggestionForm } from './suggestion-form.tsx';
import { CommentThread } from './thread.tsx';
import { hasBlockDraft, readDraft } from './typed-drafts.ts';

interface CommentableBlockProps {
  discussion: Discussion;
  page: string;
  /** The key of the block. Included blocks have none, and no comments. */
  node: string | undefined;
  threads: Comment[];
  /** Whether open comments are shown at first. */
  isExpanded?: boolean;
  /** Whether the button can be reached by the tab key. The arrow keys reach all of them. */
  isTabStop?: boolean;
  onButtonKey?: (event: KeyboardEvent) => void;
  /** The drawn block. */
  children: ComponentChildren;
}

const describeCount = (count: number): string => {
  if (count === 0) return 'Comment on this block';
  return count === 1 ? '1 open comment on this block' : `${count} open comments on this block`;
};

/** A block of a page with its comments. */
export function CommentableBlock(props: CommentableBlockProps): VNode {
  const { discussion, page, node, threads, isExpanded = false, isTabStop = true, onButtonKey, children } = props;
  const open = threads.filter(({ status }) => status === 'open').length;
  const [isOpen, setOpen] = useState((isExpanded && open > 0) || hasBlockDraft(discussion.path, page, node));
  const isUsable = node !== undefined && (threads.length > 0 || discussion.canComment);
  return (
    <div class={open > 0 ? 'commentable commented' : 'commentable'}>
      <div class="commentable-content">{children}</div>
      {isUsable && (
        <button
          type="button"
          class="comment-button"
          tabIndex={isTabStop ? 0 : -1}
          aria-expanded={isOpen}
          aria-label={describeCount(open)}
          title={describeCount(open)}
          onClick={() => setOpen(!isOpen)}
          onKeyDown={onButtonKey}
        >
          <UiIcon name="comment" />
          {open > 0 && <span aria-hidden="true">{open}</span>}
        </button>
      )}
      {isOpen && node !== undefined && (
        <BlockDiscussion
          discussion={discussion}
          target={{ page, node }}
          threads={threads}
          close={() => setOpen(false)}
        />
      )}
    </div>
  );
}

interface BlockDiscussionProps {
  discussion: Discussion;
  target: { page: string; node: string };
  threads: Comment[];
  close: () => void;
}

type OpenForm = 'comment' | 'suggestion' | undefined;

/** Returns the form that is open at first: one with a text that was typed before, or that for the first comment. */
function chooseForm({ path }: Discussion, target: BlockDiscussionProps['target'], threads: Comment[]): OpenForm {
  const forms = ['comment', 'suggestion'] as const;
  const typed = forms.find((form) => readDraft({ path, ...target, form }) !== undefined);
  return typed ?? (threads.length === 0 ? 'comment' : undefined);
}

function BlockDiscussion({ discussion, target, threads, close }: BlockDiscussionProps): VNode {
  const [form, setForm] = useState(() => chooseForm(discussion, target, threads));
  const closeForm = threads.length === 0 ? close : () => setForm(undefined);
  const post = async (markdown: string): Promise<void> => {
    await postComment(discussion, markdown, target);
    setForm(undefined);
  };
  return (
    <fieldset class="block-discussion" aria-label="Comments on this block">
      {threads.map((comment) => (
        <CommentThread key={comment.id} discussion={discussion} comment={comment} />
      ))}
      {form === 'comment' && discussion.canComment && (
        <CommentForm
          target={{ path: discussion.path, ...target, form: 'comment' }}
          label="Comment on this block"
          submit="Comment"
          organization={discussion.organization}
          isFocused
          onSubmit={post}
          onCancel={closeForm}
        />
      )}
      {form === 'suggestion' && (
        <SuggestionForm discussion={discussion} target={target} close={() => setForm(undefined)} />
      )}
      {discussion.canComment && (
        <footer class="thread-actions">
          {form === undefined && (
            <button type="button" class="text-button" onClick={() => setForm('comment')}>
              New comment on this block
            </button>
          )}
          {form !== 'suggestion' && discussion.canSuggest === true && (
            <button type="button" class="text-button" onClick={() => setForm('suggestion')}>
              Suggest a text
            </button>
          )}
        </footer>
      )}
    </fieldset>
  );
}
