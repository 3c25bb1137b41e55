import type { RefObject, VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Avatar } from '../ui/avatar.tsx';
import { findMentionQuery, type MentionQuery, type Person } from './mentions.ts';
import { useMemberSearch } from './names.ts';

interface MentionFieldProps {
  label: string;
  organization: string | undefined;
  isFocused?: boolean;
  draft: string;
  /** Receives the changed text, and the offset of the cursor at the end of the change. */
  onInput: (draft: string, cursor: number) => void;
  /** Receives the chosen person, and the offset of the `@` before the name. */
  onMention: (person: Person, at: number) => void;
  onCancel?: (() => void) | undefined;
}

interface FieldKeys {
  /** The number of suggested members. */
  count: number;
  move: (step: number) => void;
  choose: () => void;
  close: () => void;
  cancel: (() => void) | undefined;
}

/** Handles the keys of the list of members, Ctrl+Enter and Escape. Returns whether it handled the key. */
function handleFieldKey(event: KeyboardEvent, { count, move, choose, close, cancel }: FieldKeys): boolean {
  // The key belongs to the input method, which for example completes a word with Enter.
  if (event.isComposing) return false;
  const { key, currentTarget: field } = event;
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    if (field instanceof HTMLTextAreaElement) field.form?.requestSubmit();
  } else if (count > 0 && step !== undefined) move(step);
  else if (count > 0 && (key === 'Enter' || key === 'Tab')) choose();
  else if (key === 'Escape' && count > 0) close();
  else if (key === 'Escape' && cancel !== undefined) cancel();
  else return false;
  return true;
}

interface MentionTextProps {
  label: string;
  /** The id of the list of members, while it is open. */
  list: string | undefined;
  selected: number;
}

/** Returns the attributes that connect a text field with its list of members. */
const getListAttributes = ({ label, list, selected }: MentionTextProps) =>
  ({
    'aria-label': label,
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-controls': list,
    'aria-activedescendant': list === undefined ? undefined : `${list}-${selected}`,
  }) as const;

/** The mention that is being typed, and the members that match it. */
function useMention({ organization, draft, onInput, onMention }: MentionFieldProps, field: Field) {
  const [mention, setMention] = useState<MentionQuery>();
  const [selected, setSelected] = useState(0);
  const { value } = useMemberSearch(organization, mention?.words.toLowerCase());
  // While the next members are loaded, the former ones that still match are shown.
  const latest = useRef<Person[]>([]);
  if (value !== undefined) latest.current = value;
  const found =
    value ?? latest.current.filter(({ name }) => name.toLowerCase().includes(mention?.words.toLowerCase() ?? ''));
  const read = (): void => {
    const { value = '', selectionStart = 0 } = field.current ?? {};
    setMention(findMentionQuery(value, selectionStart));
    setSelected(0);
  };
  const choose = (person: Person | undefined): void => {
    if (person === undefined || mention === undefined) return;
    const end = mention.start + mention.words.length + 1;
    const start = `${draft.slice(0, mention.start)}@${person.name} `;
    onInput(`${start}${draft.slice(end)}`, start.length);
    onMention(person, mention.start);
    setMention(undefined);
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(start.length, start.length);
    });
  };
  const move = (step: number): void => setSelected((selected + step + found.length) % found.length);
  const people = mention === undefined ? [] : found;
  return { people, selected, read, choose, move, close: () => setMention(undefined) };
}

type Field = RefObject<HTMLTextAreaElement | null>;

/** A text field in which names of members are completed after an `@`. */
export function MentionField(props: MentionFieldProps): VNode {
  const { label, isFocused, draft, onInput, onCancel } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const { people, selected, read, choose, move, close } = useMention(props, field);
  const isOpen = people.length > 0;
  // A key that is pressed before the field has the focus would be lost, or would press the button that opened it.
  useLayoutEffect(() => {
    if (isFocused) field.current?.focus();
  }, [isFocused]);
  const handleKey = (event: KeyboardEvent): void => {
    const keys = { count: people.length, move, close, cancel: draft === '' ? onCancel : undefined };
    const isHandled = handleFieldKey(event, { ...keys, choose: () => choose(people[selected]) });
    if (isHandled) event.preventDefault();
    if (isHandled) event.stopPropagation();
  };
  return (
    <div class="mention-field">
      <textarea
        ref={field}
        class="input"
        rows={3}
        {...getListAttributes({ label, list: isOpen ? id : undefined, selected })}
        placeholder="Supports Markdown. Type @ to mention a member."
        value={draft}
        onInput={({ currentTarget: { value, selectionStart } }) => {
          onInput(value, selectionStart);
          read();
        }}
        onKeyDown={handleKey}
        onBlur={close}
      />
      {isOpen && <MentionList id={id} people={people} selected={selected} choose={choose} />}
    </div>
  );
}

interface MentionListProps {
  id: string;
  people: Person[];
  selected: number;
  choose: (person: Person) => void;
}

/** The members that match. The focus stays in the text field. */
const MentionList = ({ id, people, selected, choose }: MentionListProps): VNode => (
  <div class="mention-list" role="listbox" id={id} aria-label="Members">
    {people.map((person, index) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the text field, which keeps the focus.
      <div
        key={person.id}
        role="option"
        id={`${id}-${index}`}
        tabIndex={-1}
        aria-selected={index === selected}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => choose(person)}
      >
        <Avatar name={person.name} />
        <span class="grow">{person.name}</span>
      </div>
    ))}
  </div>
);
