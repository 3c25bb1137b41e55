/** Entries of one kind, and whether those of the typed text are still being loaded. */
export interface PaletteResults<Entry extends { id: string }> {
  entries: Entry[];
  isPending: boolean;
}

/** Returns the position of the selected entry, which is the first one unless the user has selected another. */
export const findSelected = (entries: { id: string }[], chosen: string | undefined): number =>
  Math.max(
    0,
    entries.findIndex(({ id }) => id === chosen),
  );

/**
 * Returns the entry that Enter opens: the one that the user has selected, or else the first result of the typed text.
 * `results` are in the order of the list. Returns 'pending' until the first result is known.
 */
export function chooseEntry<Entry extends { id: string }>(
  results: PaletteResults<Entry>[],
  chosen: string | undefined,
): Entry | 'pending' | undefined {
  const selected = results.flatMap(({ entries }) => entries).find(({ id }) => id === chosen);
  if (selected !== undefined) return selected;
  const first = results.find(({ entries, isPending }) => isPending || entries.length > 0);
  return first?.isPending === true ? 'pending' : first?.entries[0];
}
