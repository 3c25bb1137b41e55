/** What a site returns while a visitor types into the search field. */
export interface InstantResults {
  query: string;
  suggestions: {
    title: string;
    matches: [number, number][];
    place: string;
    isHeading: boolean;
    href: string;
  }[];
  results: { title: string; parts: { title: string; text: string; href: string }[] }[];
}
