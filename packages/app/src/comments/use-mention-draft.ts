import { useState } from 'preact/hooks';
import { changeDraft, type Mention, type Person, toMarkdown } from './mentions.ts';

/** The initial text of a draft, with names instead of ids, and the people whom it mentions. */
export interface InitialDraft {
  text: string;
  mentions: Mention[];
  people: Person[];
}

const emptyDraft: InitialDraft = { text: '', mentions: [], people: [] };

/** A text that mentions people. `field` contains the attributes of its `MentionField`. */
export function useMentionDraft(initial = emptyDraft) {
  const [draft, setDraft] = useState(initial);
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
    /** Empties the draft after it was sent, unless the user has changed it since then. */
    clearSent: (): void => setDraft((current) => (current.text === text ? emptyDraft : current)),
  };
}
