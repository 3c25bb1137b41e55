/** A part of a page in which words were found. */
interface FoundPart {
  title: string;
  text: string;
  href: string;
}

/** A page in which words were found, as `~/search.json` gives it. */
export interface InstantResult {
  title: string;
  place: string;
  href: string;
  parts: FoundPart[];
}

const element = (tag: string, inside: (Node | string)[], className = ''): HTMLElement => {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...inside);
  return made;
};

/** What matches any of the words; undefined where there is none of two letters. */
function patternOf(words: string): RegExp | undefined {
  const found = words.match(/[\p{L}\p{N}]{2,64}/gu);
  return found === null ? undefined : new RegExp(`(${found.slice(0, 10).join('|')})`, 'giu');
}

/** A text in which what was asked for stands out. */
function marked(text: string, pattern: RegExp | undefined): (Node | string)[] {
  if (pattern === undefined) return [text];
  return text.split(pattern).map((part, index) => (index % 2 === 1 ? element('mark', [part]) : part));
}

/** The options of a list of results: each page, and the parts of it in which the words are. */
export function optionsOf(results: InstantResult[], words: string): HTMLElement[] {
  const pattern = patternOf(words);
  let count = 0;
  const option = (href: string, inside: HTMLElement[], className: string): HTMLElement => {
    const link = document.createElement('a');
    link.href = href;
    link.tabIndex = -1;
    link.append(...inside);
    const item = element('li', [link], className);
    item.id = `~search-result-${count}`;
    item.setAttribute('role', 'option');
    count += 1;
    return item;
  };
  return results.flatMap(({ title, place, href, parts }) => [
    option(href, [element('strong', marked(title, pattern)), element('small', [place])], 'of-page'),
    ...parts.map((part) =>
      option(
        part.href,
        [element('span', marked(part.title, pattern)), element('small', marked(part.text, pattern))],
        'of-part',
      ),
    ),
  ]);
}
