import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { assignThreads, type KeyedNode } from './block-threads.ts';
import { CommentForm } from './comment-form.tsx';
import { CommentableBlock } from './commentable-block.tsx';
import { type Discussion, postComment } from './discussion.ts';
import { OlderComments } from './discussion-view.tsx';
import { LostDrafts } from './lost-drafts.tsx';
import { CommentThread } from './thread.tsx';
import { useBlockIds } from './use-block-ids.ts';

interface CommentedPageProps<Node extends KeyedNode> {
  discussion: Discussion;
  page: string;
  /** The top-level blocks of the page. */
  nodes: Node[];
  draw: (node: Node) => ComponentChildren;
}

const noThreads: never[] = [];

/** Moves the focus between the comment buttons of an article. Returns the index of the focused button. */
function moveBetweenBlocks(event: KeyboardEvent): number | undefined {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { currentTarget: current } = event;
  if (step === undefined || !(current instanceof HTMLElement)) return undefined;
  const buttons = [...(current.closest('article')?.querySelectorAll<HTMLElement>('.comment-button') ?? [])];
  const next = buttons.indexOf(current) + step;
  if (buttons[next] === undefined) return undefined;
  event.preventDefault();
  buttons[next].focus();
  return next;
}

/** The blocks of a page with their comments. The arrow keys move between the comment buttons of the blocks. */
export function CommentedBlocks<Node extends KeyedNode>(props: CommentedPageProps<Node>): VNode {
  const { discussion, page, nodes, draw } = props;
  const [tabStop, setTabStop] = useState(0);
  const { byBlock } = assignThreads(discussion.comments.value ?? [], page, nodes);
  const ids = useBlockIds(
    discussion.path,
    page,
    nodes.map(({ key }) => ({ key: key ?? '', node: key })),
  );
  const commentable = nodes.filter(({ key }) => key !== undefined);
  return (
    <>
      {nodes.map((node, index) => (
        <CommentableBlock
          key={ids[index]}
          discussion={discussion}
          page={page}
          node={node.key}
          threads={byBlock.get(node.key ?? '') ?? noThreads}
          isTabStop={node === commentable[Math.min(tabStop, commentable.length - 1)]}
          onButtonKey={(event) => setTabStop(moveBetweenBlocks(event) ?? tabStop)}
        >
          {draw(node)}
        </CommentableBlock>
      ))}
    </>
  );
}

/** The comments on a page as a whole, and on blocks that it no longer contains. */
export function PageDiscussion({ discussion, page, nodes }: Omit<CommentedPageProps<KeyedNode>, 'draw'>): VNode | null {
  const { others } = assignThreads(discussion.comments.value ?? [], page, nodes);
  const keys = nodes.map(({ key }) => key);
  if (others.length === 0 && !discussion.canComment && discussion.showOlder === undefined) return null;
  return (
    <section class="discussion" aria-labelledby="page-comments">
      <h2 id="page-comments">Comments</h2>
      <OlderComments discussion={discussion} />
      {others.map((comment) => (
        <CommentThread key={comment.id} discussion={discussion} comment={comment}>
          {comment.target.node !== undefined && (
            <p class="thread-place">
              On a deleted block: <q>{comment.target.node.preview}</q>
            </p>
          )}
        </CommentThread>
      ))}
      <LostDrafts discussion={discussion} page={page} keys={keys} />
      {discussion.canComment && (
        <CommentForm
          target={{ path: discussion.path, page, form: 'comment' }}
          label="Comment on this page"
          submit="Comment"
          organization={discussion.organization}
          onSubmit={(markdown) => postComment(discussion, markdown, { page })}
        />
      )}
    </section>
  );
}
