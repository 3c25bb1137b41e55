import type { VNode } from 'preact';
import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { ActionForm, Field, Modal, TextField } from '../ui/dialog.tsx';
import type { EditedText } from './autosave.ts';

/** Creates reusable content. Returns its address in Markdown. */
type CreateContent = (content: EditedText) => Promise<string>;

interface ReusableContentRequest {
  /** The text, unless the user writes it. */
  markdown: string | undefined;
  create: CreateContent;
  close: (target?: string) => void;
  onClosed: () => void;
}

/** Asks for the title of new reusable content. Returns its address, or undefined if the user cancels. */
export type AskForReusableContent = (
  markdown: string | undefined,
  create: CreateContent,
) => Promise<string | undefined>;

/** Returns a function that asks for new reusable content, and the dialog while it asks. */
export function useReusableContentDialog(): { ask: AskForReusableContent; dialog: VNode | undefined } {
  const [request, setRequest] = useState<ReusableContentRequest>();
  const ask = useCallback<AskForReusableContent>(
    (markdown, create) =>
      new Promise((resolve) => {
        let created: string | undefined;
        const close = (target?: string): void => {
          created = target;
          setRequest(undefined);
        };
        setRequest({ markdown, create, close, onClosed: () => resolve(created) });
      }),
    [],
  );
  return { ask, dialog: request && <ReusableContentDialog {...request} /> };
}

function ReusableContentDialog({ markdown, create, close, onClosed }: ReusableContentRequest): VNode {
  // The caller moves the focus, which is not possible while the dialog is open.
  useLayoutEffect(() => onClosed, []);
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const content = { title: title.trim(), markdown: markdown ?? `${text.trim()}\n` };
  return (
    <Modal title="New reusable content" onClose={() => close()}>
      <ActionForm
        submit="Create"
        onSubmit={async () => close(await create(content))}
        onCancel={() => close()}
        isDisabled={content.title === '' || content.markdown.trim() === ''}
      >
        {markdown !== undefined && (
          <p>The selected blocks are replaced by reusable content, which other pages of this space can include.</p>
        )}
        <TextField label="Title" maxLength={256} value={title} onChange={setTitle} />
        {markdown === undefined && (
          <Field label="Text" hint="You can use Markdown.">
            {(ids) => (
              <textarea
                class="input"
                {...ids}
                rows={6}
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
              />
            )}
          </Field>
        )}
      </ActionForm>
    </Modal>
  );
}
