const maxLength = 5 * 1024 * 1024;
const maxTags = 100_000;
const maxAttributes = 200;
const maxAllAttributes = 400_000;
const maxDepth = 250;
const maxReopened = 1_000_000;

const tag = /<(?:!--|(\/?)([a-z][^\s/>]*))/gi;
const attribute = /[\s/]*(?:[^\s"'>/=][^\s>/=]*|["'=])(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*)?)?/gy;
const impliedEnd = new Set(
  'area base br col embed hr img input link meta param source track wbr p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption rp rt rb rtc html head body'.split(
    ' ',
  ),
);
const formatting = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));
const rawText = new Set('script style textarea title xmp iframe noembed noframes'.split(' '));

/**
 * Rejects a page whose parsing would take superlinear time: deeply nested elements, elements that are reopened
 * repeatedly, tags with very many attributes.
 */
export function rejectExpensiveHtml(html: string): void {
  if (html.length > maxLength) throw new WebPageError(`The page has more than ${maxLength} characters.`);
  const scan = new Scan(html);
  while (scan.next());
}

class Scan {
  readonly #html: string;
  readonly #open = new Map<string, number>();
  #at = 0;
  #tags = 0;
  #attributes = 0;
  #depth = 0;
  #formatting = 0;
  #reopened = 0;

  constructor(html: string) {
    this.#html = html;
  }

  next(): boolean {
    tag.lastIndex = this.#at;
    const match = tag.exec(this.#html);
    if (!match) return false;
    const [tagSource, slash, name = ''] = match;
    this.#at = match.index + tagSource.length;
    if (name === '') return this.#skipTo('-->');
    const { end, attributes } = findTagEnd(this.#html, this.#at);
    this.#at = end;
    this.#tags += 1;
    this.#attributes += attributes;
    if (this.#attributes > maxAllAttributes) throw new WebPageError('The page has too many attributes.');
    if (this.#tags > maxTags) throw new WebPageError(`The page has more than ${maxTags} tags.`);
    return this.#count(name.toLowerCase(), slash === '/');
  }

  #skipTo(end: string): boolean {
    const endOffset = this.#html.indexOf(end, this.#at);
    this.#at = endOffset + end.length;
    return endOffset !== -1;
  }

  #count(name: string, closes: boolean): boolean {
    const step = closes ? -1 : 1;
    const open = (this.#open.get(name) ?? 0) + step;
    if (open >= 0 && !impliedEnd.has(name)) {
      this.#open.set(name, open);
      this.#depth += step;
      if (formatting.has(name)) this.#formatting += step;
    }
    if (!closes) this.#reopened += this.#formatting;
    if (this.#depth > maxDepth) throw new WebPageError(`The page is nested more than ${maxDepth} elements deep.`);
    if (this.#reopened > maxReopened) throw new WebPageError('The page has too many unclosed elements.');
    if (closes || !rawText.has(name)) return true;
    const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
    end.lastIndex = this.#at;
    const endMatch = end.exec(this.#html);
    if (endMatch) this.#at = endMatch.index;
    return endMatch !== null;
  }
}

/** Returns the end of a tag whose name was read, and its number of attributes. */
function findTagEnd(html: string, start: number): { end: number; attributes: number } {
  let offset = start;
  let attributes = 0;
  for (; attributes <= maxAttributes; attributes += 1) {
    attribute.lastIndex = offset;
    if (!attribute.test(html)) break;
    offset = attribute.lastIndex;
  }
  if (attributes > maxAttributes)
    throw new WebPageError(`The page has a tag with more than ${maxAttributes} attributes.`);
  const end = html.indexOf('>', offset);
  return { end: end === -1 ? html.length : end + 1, attributes };
}

/** A page that cannot be read because it is too deep or too large. */
export class WebPageError extends Error {
  override readonly name = 'WebPageError';
}
