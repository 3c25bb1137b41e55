/** A section of a page that matches the search. */
interface MatchingSection {
  title: string;
  text: string;
  href: string;
}

/**
 * The response of `~/search.json`: the query, with corrected words, and titles and headings that contain the words, or
 * the pages that match if there are none.
 */
export interface InstantResults {
  query: string;
  suggestions: SuggestedTitle[];
  results: InstantResult[];
}

interface SuggestedTitle {
  title: string;
  /** The ranges of the words in the title. */
  matches: [start: number, end: number][];
  /** The title of the page that has the heading, or of the page's space. */
  place: string;
  isHeading: boolean;
  href: string;
}

interface InstantResult {
  title: string;
  place: string;
  href: string;
  parts: MatchingSection[];
}

const createElement = (tag: string, inside: (Node | string)[], className = ''): HTMLElement => {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...inside);
  return element;
};

/** Returns a pattern that matches any of the words, or undefined if none has two letters. */
function toPattern(words: string): RegExp | undefined {
  const match = words.match(/[\p{L}\p{N}]{2,64}/gu);
  return match === null ? undefined : new RegExp(`(${match.slice(0, 10).join('|')})`, 'giu');
}

/** Splits a text into nodes with the search words highlighted. */
function highlight(text: string, pattern: RegExp | undefined): (Node | string)[] {
  if (pattern === undefined) return [text];
  return text.split(pattern).map((part, index) => (index % 2 === 1 ? createElement('mark', [part]) : part));
}

/** Splits a text into nodes with ranges of it highlighted. */
function highlightRanges(text: string, ranges: [number, number][]): (Node | string)[] {
  let position = 0;
  const nodes = ranges.flatMap(([start, end]) => {
    const before = text.slice(position, start);
    position = end;
    return [before, createElement('mark', [text.slice(start, end)])];
  });
  return [...nodes, text.slice(position)];
}

/** The link to all results. */
interface AllResults {
  href: string;
  label: string;
}

/**
 * Creates the options of the list: titles and headings, or each page with its matching sections, and a link to all
 * results. Returns nothing if nothing was found.
 */
export function createOptions({ query, suggestions, results }: InstantResults, all: AllResults): HTMLElement[] {
  if (suggestions.length === 0 && results.length === 0) return [];
  const pattern = toPattern(query);
  let count = 0;
  const option = (href: string, inside: (HTMLElement | string)[], className: string): HTMLElement => {
    const link = document.createElement('a');
    link.href = href;
    link.tabIndex = -1;
    link.append(...inside);
    const item = createElement('li', [link], className);
    item.id = `~search-result-${count}`;
    item.setAttribute('role', 'option');
    count += 1;
    return item;
  };
  const titles = suggestions.map(({ title, matches, place, isHeading, href }) =>
    option(
      href,
      [createElement('strong', highlightRanges(title, matches)), createElement('small', [place])],
      isHeading ? 'of-heading' : 'of-page',
    ),
  );
  const pages = results.flatMap(({ title, place, href, parts }) => [
    option(href, [createElement('strong', highlight(title, pattern)), createElement('small', [place])], 'of-page'),
    ...parts.map((part) =>
      option(
        part.href,
        [createElement('span', highlight(part.title, pattern)), createElement('small', highlight(part.text, pattern))],
        'of-part',
      ),
    ),
  ]);
  return [...titles, ...pages, option(all.href, [all.label], 'of-all')];
}
