import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ActionForm } from '../ui/dialog.tsx';
import { MentionField } from './mention-field.tsx';
import { type Person, toMarkdown } from './mentions.ts';

interface CommentFormProps {
  /** The name of the text field for screen readers. */
  label: string;
  submit: string;
  organization: string | undefined;
  /** The initial text, with names instead of ids, and the people whom it mentions. */
  initial?: { draft: string; people: Person[] };
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
  const [draft, setDraft] = useState(initial?.draft ?? '');
  const [people, setPeople] = useState(initial?.people ?? []);
  const change = (text: string): void => {
    setDraft(text);
    props.onChange?.();
  };
  const send = async (): Promise<void> => {
    await onSubmit(toMarkdown(draft.trim(), people));
    setDraft('');
  };
  return (
    <ActionForm submit={submit} onSubmit={send} onCancel={onCancel} isDisabled={draft.trim() === ''}>
      <MentionField
        label={label}
        organization={organization}
        isFocused={props.isFocused ?? false}
        draft={draft}
        onInput={change}
        onMention={(person) => setPeople([...people, person])}
        onCancel={onCancel}
      />
    </ActionForm>
  );
}
