/** A block with an id that stays the same while others edit the page. The key changes with the text of the block. */
export interface IdentifiedBlock {
  key: string;
  id: string;
}

/** Makes keys unique by numbering the repeated ones. */
function numberRepeated(keys: string[]): string[] {
  const counts = new Map<string, number>();
  return keys.map((key) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count === 0 ? key : `${key} ${count}`;
  });
}

/** Groups the keys that are not shared by the shared keys before and after them. */
function groupBetween(keys: string[], isShared: (key: string) => boolean): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  let previous: string | undefined;
  let group: string[] = [];
  for (const key of [...keys, undefined]) {
    if (key !== undefined && !isShared(key)) {
      group.push(key);
      continue;
    }
    groups.set(JSON.stringify([previous, key]), group);
    [previous, group] = [key, []];
  }
  return groups;
}

let created = 0;

/**
 * Returns the blocks of a new version of a page. Blocks with the same key have the same id. The blocks between two of
 * them were edited if their number is the same, so they keep their ids too.
 */
export function identifyBlocks(former: IdentifiedBlock[], keys: string[]): IdentifiedBlock[] {
  const unique = numberRepeated(keys);
  const ids = new Map(former.map(({ key, id }) => [key, id]));
  const current = new Set(unique);
  const formerGroups = groupBetween([...ids.keys()], (key) => current.has(key));
  const edited = new Map<string, string | undefined>();
  for (const [place, group] of groupBetween(unique, (key) => ids.has(key))) {
    const replaced = formerGroups.get(place) ?? [];
    if (replaced.length === group.length)
      for (const [index, key] of group.entries()) edited.set(key, ids.get(replaced[index] ?? ''));
  }
  return unique.map((key) => {
    const id = ids.get(key) ?? edited.get(key);
    if (id !== undefined) return { key, id };
    created += 1;
    return { key, id: `block ${created}` };
  });
}
