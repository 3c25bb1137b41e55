import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { CommentForm } from './comment-form.tsx';
import { type Discussion, postComment } from './discussion.ts';
import { type DraftTarget, listLostDrafts, storeDraft } from './typed-drafts.ts';

interface LostDraftsProps {
  discussion: Discussion;
  page: string;
  /** The keys of the blocks of the page. */
  keys: (string | undefined)[];
}

/** The texts that the user typed for blocks which others have deleted meanwhile. They can be sent for the page. */
export function LostDrafts({ discussion, page, keys }: LostDraftsProps): VNode {
  const [, setClosed] = useState(0);
  const close = (target: DraftTarget): void => {
    storeDraft(target, undefined);
    setClosed((count) => count + 1);
  };
  const send = async (target: DraftTarget, markdown: string): Promise<void> => {
    await postComment(discussion, markdown, { page });
    close(target);
  };
  return (
    <>
      {listLostDrafts(discussion.path, page, keys).map((target) => (
        <div key={`${target.node} ${target.form}`} class="thread">
          <p class="thread-place">On a deleted block</p>
          <CommentForm
            target={target}
            label="Comment on a deleted block"
            submit="Comment"
            organization={discussion.organization}
            onSubmit={(markdown) => send(target, markdown)}
            onCancel={() => close(target)}
          />
        </div>
      ))}
    </>
  );
}
