import type { MountedEditor } from '@octavo/editor';
import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { useNames } from '../comments/names.ts';
import { useParticipants } from '../live/live.ts';
import { usePlace } from '../session.ts';
import type { SpacePages } from '../space/tree-rows.ts';
import { Avatar } from '../ui/avatar.tsx';
import { describeEditor, nameEditors, type OtherEditor } from './editor-names.ts';

/** Returns who else edits the change request, and shows their names at the blocks of the page. `self` is the user. */
export function useOthers(
  { page, self }: { page: string; self: string },
  editing: { current: { editor: MountedEditor } | undefined },
): OtherEditor[] {
  const participants = useParticipants();
  const { organization } = usePlace();
  const users = [...new Set(participants.map(({ user }) => user))].sort();
  const names = useNames(organization, users);
  const key = JSON.stringify(participants.map(({ user, presence }) => [user, names.get(user), presence]));
  // `participants` and `names` can change without a visible change. `key` contains everything that is shown.
  const others = useMemo(() => nameEditors(participants, names, self), [key, self]);
  useEffect(() => {
    const here = others.filter((other) => other.page === page);
    editing.current?.editor.setEditors(
      here.flatMap(({ name, block }) => (block === undefined ? [] : [{ name, block }])),
    );
  }, [others, page, editing]);
  return others;
}

/** Number of people whose initials are shown. */
const maxShown = 5;

interface OtherEditorsProps {
  others: OtherEditor[];
  page: string;
  pages: SpacePages | undefined;
}

/** The other users who edit the change request, with the page that each one edits. */
export function OtherEditors({ others, page, pages }: OtherEditorsProps): VNode {
  const describe = (other: OtherEditor): string =>
    describeEditor(other, other.page === page ? undefined : (pages?.byId.get(other.page)?.title ?? 'another page'));
  return (
    <ul class="edit-others" aria-label="Others in this change request">
      {others.slice(0, maxShown).map((other) => (
        <li title={describe(other)}>
          <Avatar name={other.isSelf ? 'You' : other.name} />
          <span class="hidden">{describe(other)}</span>
        </li>
      ))}
      {others.length > maxShown && <li>+{others.length - maxShown}</li>}
    </ul>
  );
}
