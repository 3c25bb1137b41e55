import type { VNode } from 'preact';
import { ActionForm } from '../ui/dialog.tsx';
import { MentionField } from './mention-field.tsx';
import type { DraftTarget, TypedText } from './typed-drafts.ts';
import { useMentionDraft } from './use-mention-draft.ts';

interface CommentFormProps {
  /** The form. Its text is kept under this target if the form disappears before it is sent. */
  target: DraftTarget;
  /** The name of the text field for screen readers. */
  label: string;
  submit: string;
  organization: string | undefined;
  initial?: TypedText;
  isFocused?: boolean;
  /** Called when the user changes the text. */
  onChange?: () => void;
  /** Posts the text with ids of mentioned people. */
  onSubmit: (markdown: string) => Promise<void>;
  onCancel?: () => void;
}

/** A text field for a comment. Names of members are completed after an `@`. */
export function CommentForm(props: CommentFormProps): VNode {
  const { target, label, submit, organization, initial, onSubmit, onCancel } = props;
  const { field, isEmpty, markdown, clear, clearSent } = useMentionDraft(initial, target);
  const change = (text: string, cursor: number): void => {
    field.onInput(text, cursor);
    props.onChange?.();
  };
  const send = async (): Promise<void> => {
    await onSubmit(markdown);
    clearSent();
  };
  const cancel =
    onCancel &&
    ((): void => {
      clear();
      onCancel();
    });
  return (
    <ActionForm submit={submit} onSubmit={send} onCancel={cancel} isDisabled={isEmpty}>
      <MentionField
        label={label}
        organization={organization}
        isFocused={props.isFocused ?? false}
        {...field}
        onInput={change}
        onCancel={cancel}
      />
    </ActionForm>
  );
}
