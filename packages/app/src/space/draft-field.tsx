import type { ChangeRequest } from '@octavo/schema';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { SelectField } from '../ui/dialog.tsx';
import { type LoadedValue, useLoaded } from '../use-api.ts';
import { createDraft, listDrafts } from './editing.ts';

/** Reads the user's draft change requests of a space. */
export const useDrafts = (space: string | undefined): LoadedValue<ChangeRequest[]> =>
  useLoaded(space === undefined ? undefined : `drafts ${space}`, (options) => listDrafts(space ?? '', options));

/** Returns the number and the subject of a draft, as they are shown after the words "change request". */
export const describeDraft = ({ number, subject }: ChangeRequest): string => `#${number} ${subject}`.trim();

/** The change request that an action writes to. */
export interface DraftChoice {
  /** The user's drafts, or undefined if the change request is given. */
  drafts: ChangeRequest[] | undefined;
  /** The id of the change request, or an empty string for a new one. */
  chosen: string;
  choose: (id: string) => void;
  /**
   * The path of the content to change: live content for a new change request. Undefined while the drafts are loading.
   */
  path: string | undefined;
  /** Returns the id of the change request, after creating it if it is a new one. */
  open: () => Promise<string>;
}

/** The change request of the screen, or else the user's newest draft until another one is chosen. */
export function useDraftChoice(space: string, changeRequest: string | undefined): DraftChoice {
  const { value: drafts, error } = useDrafts(changeRequest === undefined ? space : undefined);
  const [selected, setSelected] = useState<string>();
  // If the change fails after a change request was created for it, the next attempt uses the same one.
  const created = useRef<string>(undefined);
  const chosen = changeRequest ?? selected ?? drafts?.[0]?.id ?? '';
  const isLoaded = changeRequest !== undefined || drafts !== undefined || error !== undefined;
  const path = chosen === '' ? `/spaces/${space}` : `/spaces/${space}/change-requests/${chosen}`;
  const open = async (): Promise<string> => {
    if (chosen !== '') return chosen;
    created.current ??= (await createDraft(space)).id;
    return created.current;
  };
  return {
    drafts: changeRequest === undefined ? (drafts ?? []) : undefined,
    ...{ chosen, choose: setSelected, path: isLoaded ? path : undefined },
    open,
  };
}

/** The choice of the draft change request that an action writes to. */
export const DraftField = ({ choice }: { choice: DraftChoice }): VNode | null =>
  choice.drafts === undefined ? null : (
    <SelectField
      label="Change request"
      hint="Readers see the change after it is merged."
      value={choice.chosen}
      onChange={(value) => choice.choose(value)}
    >
      {choice.drafts?.map((draft) => (
        <option key={draft.id} value={draft.id}>
          {describeDraft(draft)}
        </option>
      ))}
      <option value="">New change request</option>
    </SelectField>
  );
