import type { Comment, CommentSuggestion } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { UiIcon } from '../ui/icon.tsx';
import { notify, notifyError } from '../ui/notice.tsx';
import { useLoaded } from '../use-api.ts';
import type { Discussion } from './discussion.ts';

interface SuggestionProps {
  discussion: Discussion;
  comment: Comment;
  suggestion: CommentSuggestion;
}

/** The text that a comment suggests for its block, with the changed words, and the button that applies it. */
export function Suggestion({ discussion, comment, suggestion }: SuggestionProps): VNode {
  const [isBusy, setBusy] = useState(false);
  const { before, markdown, revision } = suggestion;
  const words = useLoaded(`suggestion ${comment.id}`, async () => {
    const { diffWords } = await import('./suggested-words.ts');
    return diffWords(before, markdown.trimEnd());
  });
  const apply = async (): Promise<void> => {
    await api('POST', `${discussion.path}/comments/${comment.id}/apply`);
    await discussion.reloadContent?.();
    notify('Suggestion applied');
  };
  const run = (): void => {
    setBusy(true);
    apply()
      .catch(notifyError)
      .finally(() => setBusy(false));
  };
  return (
    <div class="suggestion">
      <span class="block-label">{revision === undefined ? 'Suggested text' : 'Applied suggestion'}</span>
      <pre class="source">
        {(words.value ?? [{ text: markdown, change: undefined }]).map(({ text, change }) => {
          if (change === undefined) return text;
          return change === 'added' ? <ins>{text}</ins> : <del>{text}</del>;
        })}
      </pre>
      {comment.status === 'open' && discussion.canApply === true && (
        <button type="button" class="button small primary" disabled={isBusy} onClick={run}>
          <UiIcon name="check" />
          Apply suggestion
        </button>
      )}
    </div>
  );
}
