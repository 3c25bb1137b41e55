const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Where fields stand, at any depth, that are gone from what was taken of what was given. */
export function unknownFields(given: unknown, taken: unknown, above: string[] = []): string[][] {
  if (!isHolder(given) || !isHolder(taken)) return [];
  return Object.entries(given).flatMap(([name, value]) => {
    const place = [...above, name];
    return Object.hasOwn(taken, name) ? unknownFields(value, taken[name], place) : [place];
  });
}
