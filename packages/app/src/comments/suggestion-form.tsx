import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ActionForm, Field, TextField } from '../ui/dialog.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { useLoaded } from '../use-api.ts';
import { type Discussion, postComment } from './discussion.ts';
import { type DraftTarget, emptyText, readDraft, useTypedDraft } from './typed-drafts.ts';

interface SuggestionFormProps {
  discussion: Discussion;
  target: { page: string; node: string };
  close: () => void;
}

/** A form that suggests another text for a block. */
export function SuggestionForm(props: SuggestionFormProps): VNode {
  const { path } = props.discussion;
  const { page, node } = props.target;
  const readSource = async (): Promise<{ markdown: string | undefined }> => {
    const { readBlockSource } = await import('./block-source.ts');
    return { markdown: await readBlockSource(path, page, node) };
  };
  // The form stays while others edit the block, which then has another key.
  const source = useLoaded(`source ${path} ${page} ${node}`, readSource, { subject: `${path} ${page}` });
  return (
    <LoadedContent loaded={source} lines={2}>
      {({ markdown }) =>
        markdown === undefined ? (
          <p class="muted">This block cannot be replaced. Write a comment instead.</p>
        ) : (
          <LoadedForm {...props} source={markdown} />
        )
      }
    </LoadedContent>
  );
}

function LoadedForm({ discussion, target, close, source }: SuggestionFormProps & { source: string }): VNode {
  const createTarget = (form: 'suggestion' | 'message'): DraftTarget => ({ path: discussion.path, ...target, form });
  const [suggestion, setSuggestion] = useTypedDraft(createTarget('suggestion'), { ...emptyText, text: source });
  const [{ text: message }, setMessage] = useTypedDraft(createTarget('message'), emptyText);
  const isTyped = suggestion.text === '' || readDraft(createTarget('suggestion')) !== undefined;
  const markdown = isTyped ? suggestion.text : source;
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const discard = (): void => {
    setSuggestion(() => emptyText);
    setMessage(() => emptyText);
    close();
  };
  const send = async (): Promise<void> => {
    await postComment(discussion, message.trim() || 'Suggested a change.', { ...target, suggestion: { markdown } });
    discard();
  };
  return (
    <ActionForm submit="Suggest" onSubmit={send} onCancel={discard} isDisabled={markdown.trim() === source}>
      <Field label="Suggested text" hint="Supports Markdown. Leave it empty to remove the block.">
        {(ids) => (
          <textarea
            class="input source"
            ref={field}
            {...ids}
            rows={Math.min(16, source.split('\n').length + 2)}
            value={markdown}
            onInput={({ currentTarget }) => setSuggestion(() => ({ ...emptyText, text: currentTarget.value }))}
          />
        )}
      </Field>
      <TextField
        label="Comment (optional)"
        value={message}
        onChange={(text) => setMessage(() => ({ ...emptyText, text }))}
      />
    </ActionForm>
  );
}
