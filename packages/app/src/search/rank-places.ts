/** The places (spaces and screens) whose names contain the typed text. */
export interface RankedPlaces<Each> {
  /** The places whose names start with the text. Those with exactly this name come first. */
  best: Each[];
  others: Each[];
}

/** Finds places by name. Without a text, all of them are `others`. */
export function rankPlaces<Each extends { label: string }>(places: Each[], words: string): RankedPlaces<Each> {
  const wanted = words.toLowerCase();
  const getName = ({ label }: Each): string => label.toLowerCase();
  const found = places.filter((place) => getName(place).includes(wanted));
  if (wanted === '') return { best: [], others: found };
  const isBest = (place: Each): boolean => getName(place).startsWith(wanted);
  const best = found.filter(isBest);
  return {
    best: [...best.filter((place) => getName(place) === wanted), ...best.filter((place) => getName(place) !== wanted)],
    others: found.filter((place) => !isBest(place)),
  };
}
