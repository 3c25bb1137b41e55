import { changeDraft, type Person, toMarkdown } from './mentions.ts';
import { type DraftTarget, emptyText, useTypedDraft } from './typed-drafts.ts';

/**
 * A text that mentions people. `field` contains the attributes of its `MentionField`. The text is kept under the target
 * if the form disappears before it is sent.
 */
export function useMentionDraft(initial = emptyText, target?: DraftTarget) {
  const [draft, setDraft] = useTypedDraft(target, initial);
  const { text, people } = draft;
  return {
    field: {
      draft: text,
      onInput: (changed: string, cursor: number): void =>
        setDraft((current) => ({ ...current, ...changeDraft(current, changed, cursor) })),
      onMention: (person: Person, at: number): void =>
        setDraft((current) => ({
          ...current,
          people: [...current.people, person],
          mentions: [...current.mentions.filter((mention) => mention.at !== at), { person, at }],
        })),
    },
    isEmpty: text.trim() === '',
    markdown: toMarkdown(draft, people).trim(),
    clear: (): void => setDraft(() => emptyText),
    /** Empties the draft after it was sent, unless the user has changed it since then. */
    clearSent: (): void => setDraft((current) => (current.text === text ? emptyText : current)),
  };
}
