import type { Organization, Team } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import type { Person } from '../comments/mentions.ts';
import { useMemberSearch } from '../comments/names.ts';
import { Avatar } from '../ui/avatar.tsx';
import { ActionForm, Modal, TextField } from '../ui/dialog.tsx';
import { searchDelay, useDebounced } from '../use-debounced.ts';
import type { OpenedChangeRequest } from './use-change-request.ts';

/** A member or a team. */
type Reviewer = Person & { isTeam: boolean };

interface RequestDialogProps {
  opened: OpenedChangeRequest;
  teams: Team[];
  onClose: () => void;
}

/** Asks members and teams for a review. */
export function RequestDialog({ opened, teams, onClose }: RequestDialogProps): VNode {
  const { path, user, organization, reload } = opened;
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState<Map<string, Reviewer>>(new Map());
  const found = useMemberSearch(organization?.id, useDebounced(words.trim(), searchDelay), 'reviewers');
  const isMatch = ({ title }: Team): boolean => title.toLowerCase().includes(words.trim().toLowerCase());
  const offered = [
    ...(found.value ?? []).filter(({ id }) => id !== user.id).map((person) => ({ ...person, isTeam: false })),
    ...teams.filter(isMatch).map(({ id, title }) => ({ id, name: title, isTeam: true })),
  ].filter(({ id }) => !chosen.has(id));
  const toggle = (person: Reviewer): void => {
    const next = new Map(chosen);
    if (!next.delete(person.id)) next.set(person.id, person);
    setChosen(next);
  };
  const send = async (): Promise<void> => {
    const select = (isTeam: boolean): string[] =>
      [...chosen.values()].filter((each) => each.isTeam === isTeam).map(({ id }) => id);
    const body = { users: select(false), ...(select(true).length === 0 ? {} : { teams: select(true) }) };
    await api('POST', `${path}/requested-reviewers`, { body });
    onClose();
    await reload();
  };
  return (
    <Modal title="Request review" onClose={onClose}>
      <ActionForm submit="Request review" isDisabled={chosen.size === 0} onSubmit={send} onCancel={onClose}>
        <TextField label="Find members and teams" type="search" value={words} onChange={setWords} />
        <ReviewerChoices people={[...chosen.values(), ...offered]} chosen={chosen} toggle={toggle} />
        {found.value !== undefined && chosen.size + offered.length === 0 && (
          <NoReviewers organization={organization} hasWords={words.trim() !== ''} />
        )}
      </ActionForm>
    </Modal>
  );
}

interface NoReviewersProps {
  organization: Organization | undefined;
  hasWords: boolean;
}

/** The message if no one can be asked for a review. Admins can invite members. */
const NoReviewers = ({ organization, hasWords }: NoReviewersProps): VNode => (
  <>
    <p class="muted">{hasWords ? 'No results.' : 'There are no other members yet.'}</p>
    {organization?.permissions.admin === true && (
      <p>
        <a class="button" href={`/app/orgs/${organization.id}/members`}>
          Invite members
        </a>
      </p>
    )}
  </>
);

interface ReviewerChoicesProps {
  people: Reviewer[];
  chosen: ReadonlyMap<string, Reviewer>;
  toggle: (person: Reviewer) => void;
}

const ReviewerChoices = ({ people, chosen, toggle }: ReviewerChoicesProps): VNode => (
  <fieldset class="choices">
    <legend class="hidden">Reviewers</legend>
    {people.map((person) => (
      <label key={person.id}>
        <input type="checkbox" checked={chosen.has(person.id)} onChange={() => toggle(person)} />
        <Avatar name={person.name} isSquare={person.isTeam} />
        <span class="grow">{person.name}</span>
      </label>
    ))}
  </fieldset>
);
