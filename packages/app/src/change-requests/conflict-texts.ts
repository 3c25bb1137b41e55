import { type Conflict, findFreeMarkerLength, hasMarkers, splitConflicts } from '@octavo/merge';

/** The resolution of a conflict: one side, `both` sides one after the other, or another text of whole lines. */
export type Choice = 'mine' | 'live' | 'both' | { text: string };

const shortestMarkers = 7;

const hasConflict = (parts: (string | Conflict)[] | undefined): parts is (string | Conflict)[] =>
  parts?.some((part) => typeof part !== 'string') === true;

/**
 * Splits a text into its conflicts and the lines between them. The API does not return the length of the markers: it is
 * the shortest one that none of the merged texts contained. Returns undefined if the markers are incomplete.
 */
export function readConflicts(text: string, live: string): (string | Conflict)[] | undefined {
  for (let length = findFreeMarkerLength([text]) - 1; length >= shortestMarkers; length -= 1) {
    const parts = hasMarkers(live, length) ? undefined : splitConflicts(text, length);
    if (hasConflict(parts)) return parts;
  }
  return undefined;
}

/** Returns a key for each conflict. It stays the same when other parts of the text change. */
export function createConflictKeys(conflicts: Pick<Conflict, 'incoming' | 'main'>[]): string[] {
  const counts = new Map<string, number>();
  return conflicts.map(({ incoming, main }) => {
    const sides = JSON.stringify([incoming, main]);
    const count = (counts.get(sides) ?? 0) + 1;
    counts.set(sides, count);
    return `${count} ${sides}`;
  });
}

/** Whether two texts are paragraphs, which only a blank line separates. */
const areParagraphs = (...texts: string[]): boolean => texts.every((text) => /^\p{L}/u.test(text));

/** Returns the lines that a choice keeps. */
export function chooseLines({ incoming, main }: Conflict, choice: Choice): string {
  if (choice === 'mine') return incoming;
  if (choice === 'live') return main;
  if (choice === 'both') return `${incoming}${areParagraphs(incoming, main) ? '\n' : ''}${main}`;
  return choice.text === '' || choice.text.endsWith('\n') ? choice.text : `${choice.text}\n`;
}

/** Returns the resolved text. Undefined while a conflict has no choice. */
export function resolveText(parts: (string | Conflict)[], choices: (Choice | undefined)[]): string | undefined {
  let count = 0;
  const resolved = parts.map((part) => {
    if (typeof part === 'string') return part;
    const choice = choices[count++];
    return choice === undefined ? undefined : chooseLines(part, choice);
  });
  return resolved.includes(undefined) ? undefined : resolved.join('');
}
