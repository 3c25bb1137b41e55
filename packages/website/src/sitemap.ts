import { SaxesParser } from 'saxes';

/** The page and sitemap URLs in a sitemap. */
interface Sitemap {
  pages: string[];
  sitemaps: string[];
}

/** The error for a text that is not a sitemap, or that must not be read. */
export class SitemapError extends Error {
  override readonly name = 'SitemapError';
}

const maxPages = 50_000;
const maxSitemaps = 1000;
const maxAddressLength = 2048;
const pieceLength = 64 * 1024;

/** Reads a sitemap in XML (urlset or sitemapindex) or as a list of addresses. Entries beyond the limits are dropped. */
export function readSitemap(xml: string): Sitemap {
  const text = xml.replace(/^[\ufeff\s]+/, '');
  const list = new AddressList();
  if (text.startsWith('<')) readXml(text, list);
  else for (const line of text.split(/[\r\n]+/, 2 * maxPages)) list.add('url', line);
  return { pages: [...list.pages], sitemaps: [...list.sitemaps] };
}

class AddressList {
  readonly pages = new Set<string>();
  readonly sitemaps = new Set<string>();

  get isFull(): boolean {
    return this.pages.size >= maxPages || this.sitemaps.size >= maxSitemaps;
  }

  add(kind: string, location: string): void {
    const text = location.trim();
    const address = text.length <= maxAddressLength && !this.isFull ? URL.parse(text) : null;
    if (!address || !/^https?:$/.test(address.protocol)) return;
    (kind === 'sitemap' ? this.sitemaps : this.pages).add(address.href);
  }
}

/** Reads a sitemap in XML. Rejects document types, which could define entities. */
function readXml(xml: string, list: AddressList): void {
  const parser = new SaxesParser({ position: false });
  const open: string[] = [];
  let address = '';
  parser.on('doctype', () => {
    throw new SitemapError('The sitemap has a document type, which is not allowed.');
  });
  parser.on('error', ({ message }) => {
    throw new SitemapError(`The sitemap could not be read: ${message.slice(0, 200)}.`);
  });
  parser.on('opentag', ({ name }) => {
    const local = getLocalName(name);
    if (open.length === 0 && local !== 'urlset' && local !== 'sitemapindex') {
      throw new SitemapError('The file is not a sitemap: it has neither a urlset nor a sitemapindex.');
    }
    if (open.length < 4) address = '';
    open.push(local);
  });
  const onText = (text: string): void => {
    if (isAddress(open) && address.length <= maxAddressLength) address += text.slice(0, maxAddressLength + 1);
  };
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('closetag', () => {
    if (isAddress(open)) list.add(open[1] ?? '', address);
    open.pop();
  });
  for (let offset = 0; offset < xml.length && !list.isFull; offset += pieceLength)
    parser.write(xml.slice(offset, offset + pieceLength));
  if (!list.isFull) parser.close();
}

const getLocalName = (name: string): string => name.slice(name.indexOf(':') + 1);

const isAddress = ([, holder, name, ...deeper]: string[]): boolean =>
  name === 'loc' && (holder === 'url' || holder === 'sitemap') && deeper.length === 0;
