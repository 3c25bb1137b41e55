/** A section of a page that matches the search. */
interface MatchingSection {
  title: string;
  text: string;
  href: string;
}

/** The response of `~/search.json`: the query, with corrected words, and the pages that match it. */
export interface InstantResults {
  query: string;
  results: InstantResult[];
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

/** Creates the options of the result list: each page, followed by its matching sections. */
export function createOptions(results: InstantResult[], words: string): HTMLElement[] {
  const pattern = toPattern(words);
  let count = 0;
  const option = (href: string, inside: HTMLElement[], className: string): HTMLElement => {
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
  return results.flatMap(({ title, place, href, parts }) => [
    option(href, [createElement('strong', highlight(title, pattern)), createElement('small', [place])], 'of-page'),
    ...parts.map((part) =>
      option(
        part.href,
        [createElement('span', highlight(part.title, pattern)), createElement('small', highlight(part.text, pattern))],
        'of-part',
      ),
    ),
  ]);
}
