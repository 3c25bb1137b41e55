import type { Urls } from '@octavo/runtime';
import type { List, SearchList, SearchPage, SearchSection, SpaceSearchResult } from '@octavo/schema';
import { createSnippet, findMatches, type WordMatcher } from '@octavo/search';
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
  const present = ({ anchor, heading, text }: FoundSection): SearchSection => {
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
    sections: found.map(present),
  };
}

export const presentSpace = (title: string, pages: PagesOfSpace, context: SearchContext): SpaceSearchResult => ({
  id: pages[0].space,
  title,
  pages: pages.map((page) => presentPage(page, context)),
});

/** Adds the query that was probably meant to a list of results. */
export const addCorrection = <Item>(list: List<Item>, correction: string | undefined): SearchList<Item> =>
  correction === undefined ? list : { ...list, correctedQuery: correction };
