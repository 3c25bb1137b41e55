import type { Urls } from '@octavo/runtime';
import type { SearchPage, SearchSection, SearchSuggestion, SpaceSearchResult } from '@octavo/schema';
import { createSnippet, findMatches, type Suggestion, type WordMatcher } from '@octavo/search';
import type { FoundSection, PageWithTexts } from './texts.ts';

/** The words that were found, and the base URLs of the response. */
interface SearchContext {
  words: WordMatcher;
  urls: Urls;
}

type PagesOfSpace = [PageWithTexts, ...PageWithTexts[]];

/** Groups pages by their space, in order of first occurrence. */
export const groupBySpace = (pages: PageWithTexts[]): PagesOfSpace[] =>
  [...Map.groupBy(pages, ({ space }) => space).values()] as PagesOfSpace[];

/** Presents a page with the sections in which the words occur. */
export function presentPage(
  { page: id, path, space, title, found }: PageWithTexts,
  { words, urls }: SearchContext,
): SearchPage {
  const app = urls.app(`/spaces/${space}/content/page/${id}`);
  const presentSection = ({ anchor, heading, text }: FoundSection): SearchSection => {
    const hash = anchor === '' ? '' : `#${anchor}`;
    const snippet = createSnippet(text, words);
    return {
      id: anchor === '' ? id : anchor,
      title: heading,
      path: `${path}${hash}`,
      body: snippet.text,
      matches: { title: findMatches(heading, words), body: snippet.matches },
      urls: { app: `${app}${hash}` },
    };
  };
  return {
    id,
    title,
    path,
    matches: { title: findMatches(title, words) },
    urls: { app },
    sections: found.map(presentSection),
  };
}

export const presentSpace = (title: string, pages: PagesOfSpace, context: SearchContext): SpaceSearchResult => ({
  id: pages[0].space,
  title,
  pages: pages.map((page) => presentPage(page, context)),
});

interface SuggestionContext extends SearchContext {
  /** The titles of the searched spaces. */
  titles: Map<string, string>;
}

/** Presents the suggestions of visible pages. A heading that repeats the title of its page is left out. */
export function presentSuggestions(
  suggestions: Suggestion[],
  pages: PageWithTexts[],
  { titles, words, urls }: SuggestionContext,
): SearchSuggestion[] {
  const visible = new Map(pages.map((page) => [`${page.space}/${page.page}`, page]));
  const titled = new Set(
    suggestions.flatMap(({ section, space, page }) => (section === undefined ? `${space}/${page}` : [])),
  );
  return suggestions.flatMap(({ space, page, section: number }): SearchSuggestion[] => {
    const key = `${space}/${page}`;
    const shown = visible.get(key);
    const heading = shown?.found.find((each) => each.number === number);
    if (shown === undefined || (number !== undefined && heading === undefined)) return [];
    if (heading?.heading === shown.title && titled.has(key)) return [];
    const { anchor = '', heading: title = shown.title } = heading ?? {};
    const hash = anchor === '' ? '' : `#${anchor}`;
    return [
      {
        id: anchor === '' ? page : anchor,
        title,
        path: `${shown.path}${hash}`,
        page: { id: page, title: shown.title },
        space: { id: space, title: titles.get(space) ?? '' },
        matches: { title: findMatches(title, words) },
        urls: { app: urls.app(`/spaces/${space}/content/page/${page}${hash}`) },
      },
    ];
  });
}

/** Adds the corrected query to a list of results. */
export const addCorrection = <List extends object>(
  list: List,
  correction: string | undefined,
): List & { correctedQuery?: string } => (correction === undefined ? list : { ...list, correctedQuery: correction });
