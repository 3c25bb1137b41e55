interface Participant {
  user: string;
  presence: { page: string; block?: number | undefined };
}

/** Another person, or the same one in another tab, who edits a page of the change request. */
export interface OtherEditor {
  name: string;
  /** Whether this is the user of this tab. */
  isSelf: boolean;
  page: string;
  block: number | undefined;
}

/** Returns the participants with their names, which can be unknown until they are loaded. */
export const nameEditors = (
  participants: Participant[],
  names: ReadonlyMap<string, string>,
  self: string,
): OtherEditor[] =>
  participants.map(({ user, presence: { page, block } }) => {
    const isSelf = user === self;
    return { name: isSelf ? 'You, in another tab' : (names.get(user) ?? 'Another member'), isSelf, page, block };
  });

/** Describes what another person edits. `page` is the edited page, or undefined if it is the shown one. */
export function describeEditor({ name, isSelf }: OtherEditor, page: string | undefined): string {
  const place = page ?? 'this page';
  return isSelf ? `You edit ${place} in another tab` : `${name} edits ${place}`;
}
