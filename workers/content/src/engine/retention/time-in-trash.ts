/** How long a deleted space can be restored. */
const millisecondsInTrash = 7 * 24 * 3_600_000;

/** What was deleted before this moment is beyond restoring. */
export const endOfTrash = (now: number): number => now - millisecondsInTrash;
