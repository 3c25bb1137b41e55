import type { Book, BookEntry, BookPage } from './book.ts';
import { nameOf, slugOf } from './headings.ts';
import type { LinkEnd } from './paper.ts';

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);
const MAX_LENGTH = 2000;

/** Where the addresses of a book's pages lead. */
export class Links {
  readonly #order: Map<string, number>;
  readonly #entries: BookEntry[];

  constructor({ outline }: Book) {
    this.#entries = outline;
    this.#order = new Map(outline.map(({ id }, index) => [id, index]));
  }

  orderOf = (id: string): number | undefined => this.#order.get(id);

  targetOf(page: BookPage, address: string): LinkEnd | undefined {
    const cached = this.#find(page, address);
    return cached;
  }

  titleOf(page: BookPage, address: string): string | undefined {
    const [id = ''] = (given(page, address) ?? '').split('#');
    const order = this.#order.get(id);
    return order === undefined ? undefined : this.#entries[order]?.title;
  }

  #find(page: BookPage, address: string): LinkEnd | undefined {
    if (address.startsWith('#')) return this.#inside(page.id, address.slice(1));
    const value = given(page, address);
    if (value !== undefined) {
      const [id = '', anchor = ''] = value.split('#');
      const found = this.#inside(id, anchor);
      if (found !== undefined) return found;
    }
    const url = outside(value ?? address);
    return url === undefined ? undefined : { url };
  }

  #inside(id: string, anchor: string): LinkEnd | undefined {
    const order = this.#order.get(id);
    if (order === undefined) return undefined;
    return { name: nameOf(order, anchor === '' ? '' : slugOf(decoded(anchor))), otherwise: nameOf(order) };
  }
}

const given = ({ links }: BookPage, address: string): string | undefined =>
  Object.hasOwn(links, address) ? links[address] : undefined;

/** The address as a URL that may be followed. */
export function outside(address: string): string | undefined {
  if (address.length > MAX_LENGTH) return undefined;
  try {
    const url = new URL(address);
    return SCHEMES.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function decoded(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}
