/** What a site returns while a visitor types into the search field. */
export interface InstantResults {
  suggestions: {
    title: string;
    matches: { title: [number, number][] };
    place: string;
    isHeading: boolean;
    href: string;
  }[];
  results: {
    title: string;
    parts: { title: string; text: string; matches: { text: [number, number][] }; href: string }[];
  }[];
}
