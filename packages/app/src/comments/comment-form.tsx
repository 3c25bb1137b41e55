import type { VNode } from 'preact';
import { ActionForm } from '../ui/dialog.tsx';
import { MentionField } from './mention-field.tsx';
import { type InitialDraft, useMentionDraft } from './use-mention-draft.ts';

interface CommentFormProps {
  /** The name of the text field for screen readers. */
  label: string;
  submit: string;
  organization: string | undefined;
  initial?: InitialDraft;
  isFocused?: boolean;
  /** Called when the user changes the text. */
  onChange?: () => void;
  /** Posts the text with ids of mentioned people. */
  onSubmit: (markdown: string) => Promise<void>;
  onCancel?: () => void;
}

/** A text field for a comment. Names of members are completed after an `@`. */
export function CommentForm(props: CommentFormProps): VNode {
  const { label, submit, organization, initial, onSubmit, onCancel } = props;
  const { field, isEmpty, markdown, clearSent } = useMentionDraft(initial);
  const change = (text: string, cursor: number): void => {
    field.onInput(text, cursor);
    props.onChange?.();
  };
  const send = async (): Promise<void> => {
    await onSubmit(markdown);
    clearSent();
  };
  return (
    <ActionForm submit={submit} onSubmit={send} onCancel={onCancel} isDisabled={isEmpty}>
      <MentionField
        label={label}
        organization={organization}
        isFocused={props.isFocused ?? false}
        {...field}
        onInput={change}
        onCancel={onCancel}
      />
    </ActionForm>
  );
}
