import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ActionForm, Field, TextField } from '../ui/dialog.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { useLoaded } from '../use-api.ts';
import { type Discussion, postComment } from './discussion.ts';

interface SuggestionFormProps {
  discussion: Discussion;
  target: { page: string; node: string };
  close: () => void;
}

/** A form that suggests another text for a block. */
export function SuggestionForm(props: SuggestionFormProps): VNode {
  const { path } = props.discussion;
  const { page, node } = props.target;
  const source = useLoaded(`source ${path} ${page} ${node}`, async () => {
    const { readBlockSource } = await import('./block-source.ts');
    return { markdown: await readBlockSource(path, page, node) };
  });
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
  const [markdown, setMarkdown] = useState(source);
  const [message, setMessage] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const send = async (): Promise<void> => {
    await postComment(discussion, message.trim() || 'Suggested a change.', { ...target, suggestion: { markdown } });
    close();
  };
  return (
    <ActionForm submit="Suggest" onSubmit={send} onCancel={close} isDisabled={markdown.trim() === source}>
      <Field label="Suggested text" hint="Supports Markdown. Leave it empty to remove the block.">
        {(ids) => (
          <textarea
            class="input source"
            ref={field}
            {...ids}
            rows={Math.min(16, source.split('\n').length + 2)}
            value={markdown}
            onInput={({ currentTarget }) => setMarkdown(currentTarget.value)}
          />
        )}
      </Field>
      <TextField label="Comment (optional)" value={message} onChange={setMessage} />
    </ActionForm>
  );
}
