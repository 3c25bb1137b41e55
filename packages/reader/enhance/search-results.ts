/** The index of a range's first character, and the index after its last character. */
type TextRange = [start: number, end: number];

/** A section of a page that matches the search. */
interface MatchingSection {
  title: string;
  text: string;
  /** The ranges of the words in the title and in the text. */
  matches: { title: TextRange[]; text: TextRange[] };
  href: string;
}

/**
 * The response of `~/search.json`. `suggestions` are the titles and headings that contain the words. `results` are the
 * pages that a search finds. It is empty unless there are no suggestions.
 */
export interface InstantResults {
  suggestions: SuggestedTitle[];
  results: InstantResult[];
}

interface SuggestedTitle {
  title: string;
  matches: { title: TextRange[] };
  /** For a heading, the title of its page. For a page, the title of its space. */
  place: string;
  isHeading: boolean;
  href: string;
}

interface InstantResult {
  title: string;
  matches: { title: TextRange[] };
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

/** Splits a text into nodes with ranges of it highlighted. */
function highlight(text: string, ranges: TextRange[]): (Node | string)[] {
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
 * results. Returns an empty list if there are no results.
 */
export function createOptions({ suggestions, results }: InstantResults, all: AllResults): HTMLElement[] {
  if (suggestions.length === 0 && results.length === 0) return [];
  let count = 0;
  const createOption = (href: string, inside: (HTMLElement | string)[], className: string): HTMLElement => {
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
    createOption(
      href,
      [createElement('strong', highlight(title, matches.title)), createElement('small', [place])],
      isHeading ? 'of-heading' : 'of-page',
    ),
  );
  const pages = results.flatMap(({ title, matches, place, href, parts }) => [
    createOption(
      href,
      [createElement('strong', highlight(title, matches.title)), createElement('small', [place])],
      'of-page',
    ),
    ...parts.map((part) =>
      createOption(
        part.href,
        [
          createElement('span', highlight(part.title, part.matches.title)),
          createElement('small', highlight(part.text, part.matches.text)),
        ],
        'of-part',
      ),
    ),
  ]);
  return [...titles, ...pages, createOption(all.href, [all.label], 'of-all')];
}
