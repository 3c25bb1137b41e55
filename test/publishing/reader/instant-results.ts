/** The response of a site's `~/search.json`, which its search field requests while a visitor types. */
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
