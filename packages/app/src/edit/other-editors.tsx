import type { MountedEditor } from '@octavo/editor';
import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { useNames } from '../comments/names.ts';
import { useParticipants } from '../live/live.ts';
import { usePlace } from '../session.ts';
import type { SpacePages } from '../space/tree-rows.ts';
import { Avatar } from '../ui/avatar.tsx';

/** Another person, or the same one in another tab, who edits a page of the change request. */
interface OtherEditor {
  name: string;
  page: string;
  block: number | undefined;
}

/** Returns who else edits the change request, and shows their names at the blocks of the page. */
export function useOthers(page: string, editing: { current: { editor: MountedEditor } | undefined }): OtherEditor[] {
  const participants = useParticipants();
  const { organization } = usePlace();
  const users = [...new Set(participants.map(({ user }) => user))].sort();
  const names = useNames(organization, users);
  const key = JSON.stringify(participants.map(({ user, presence }) => [names.get(user), presence]));
  // The key contains everything that is shown.
  const others = useMemo(
    () =>
      participants.map(({ user, presence }) => ({
        name: names.get(user) ?? 'Another member',
        page: presence.page,
        block: presence.block,
      })),
    [key],
  );
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
    other.page === page
      ? `${other.name} edits this page`
      : `${other.name} edits ${pages?.byId.get(other.page)?.title ?? 'another page'}`;
  return (
    <ul class="edit-others" aria-label="Others in this change request">
      {others.slice(0, maxShown).map((other) => (
        <li title={describe(other)}>
          <Avatar name={other.name} />
          <span class="hidden">{describe(other)}</span>
        </li>
      ))}
      {others.length > maxShown && <li>+{others.length - maxShown}</li>}
    </ul>
  );
}
