import { HtmlValidate, type ResolvedConfig, StaticConfigLoader } from 'html-validate';
import { getShare } from '../../support/random.ts';
import { type Element, getElements, parse } from './html-tree.ts';

/** Resolves the configuration once. Resolving it for every page takes a quarter of the time of a crawl. */
class OnceResolved extends StaticConfigLoader {
  #resolved: ResolvedConfig | Promise<ResolvedConfig> | undefined;

  override getConfigFor(handle: string): ResolvedConfig | Promise<ResolvedConfig> {
    this.#resolved ??= super.getConfigFor(handle);
    return this.#resolved;
  }
}

const loader = new OnceResolved({
  root: true,
  extends: ['html-validate:standard'],
  rules: {
    // axe checks the elements of ARIA widgets.
    'prefer-native-element': 'off',
    // Scrollable regions need a name to be accessible by keyboard.
    'no-redundant-aria-label': 'off',
    'long-title': 'off',
    // axe also reports attributes that authored documents may lack.
    'wcag/h30': 'off',
  },
});
const validator = new HtmlValidate(loader);

/** The result of a crawl. Each fault names its page. */
export interface Crawled {
  /** Paths of the crawled pages, relative to the site's URL. */
  pages: string[];
  faults: string[];
}

interface Page {
  ids: Set<string>;
  links: string[];
  files: string[];
}

const getAttribute = (name: string) => (node: Element) => {
  const value = node.properties[name];
  return typeof value === 'string' ? [value] : [];
};

function read(html: string): Page & { faults: string[] } {
  const elements = getElements(parse(html));
  const ids = elements.flatMap(getAttribute('id'));
  const doubled = ids.filter((id, index) => ids.indexOf(id) !== index);
  const selectElements = (...names: string[]) => elements.filter(({ tagName }) => names.includes(tagName));
  return {
    ids: new Set(ids),
    links: selectElements('a').flatMap(getAttribute('href')),
    files: [
      ...selectElements('img', 'script', 'use').flatMap(getAttribute('src')),
      ...selectElements('link', 'use').flatMap(getAttribute('href')),
    ],
    faults: doubled.map((id) => `two elements have the id ${id}`),
  };
}

async function getFaults(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `${ruleId}: ${message} (${line}:${column})`),
  );
}

const maxPages = 3_000;
/** If a site has more pages than this, only every third page is validated, because validation is slow. */
const maxFullyValidatedPages = 30;

/** Whether a page is nested. A site may have thousands of nested pages of the same kind. */
const isDeep = (site: string, url: string): boolean => url.slice(site.length).includes('/');

async function getSitemap(site: string): Promise<Set<string>> {
  const text = await (await fetch(`${site}sitemap-pages-1.xml`)).text();
  return new Set([...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) => url));
}

/**
 * Crawls all pages and files that a site links to. Reads only every `every`th nested page, and expects the others in
 * the sitemap.
 */
export async function crawlSite(site: string, every = 1): Promise<Crawled> {
  const sitemapUrls = every === 1 ? new Set<string>() : await getSitemap(site);
  let deep = 0;
  const isLeftOut = (url: string): boolean => {
    if (every === 1 || !isDeep(site, url)) return false;
    if (url.endsWith('.md')) return true;
    deep += 1;
    return deep % every !== 0;
  };
  const pages = new Map<string, Page>();
  const faults: string[] = [];
  const files = new Map<string, number>();
  const texts = new Map<string, string>();
  const { origin } = new URL(site);
  const waiting = [site];
  const isOfSite = (url: URL) => url.href.startsWith(site) && !url.pathname.includes('/~/');
  const seen = new Set(waiting);
  for (let at = waiting.shift(); at !== undefined && pages.size < maxPages; at = waiting.shift()) {
    const response = await fetch(at);
    const html = await response.text();
    if (!(response.headers.get('content-type') ?? '').startsWith('text/html')) continue;
    if (response.status !== 200) faults.push(`${at}: answers ${response.status}`);
    const page = read(html);
    pages.set(at, page);
    texts.set(at, html);
    faults.push(...page.faults.map((fault) => `${at}: ${fault}`));
    for (const href of page.links) {
      const url = new URL(href, response.url);
      url.hash = '';
      if (seen.has(url.href) || url.origin !== origin) continue;
      seen.add(url.href);
      if (isOfSite(url) && isLeftOut(url.href)) {
        if (!sitemapUrls.has(url.href.replace(/\.md$/, ''))) faults.push(`${at}: ${href} is not in the sitemap`);
      } else if (isOfSite(url)) waiting.push(url.href);
      else if (!url.href.startsWith(site) && !url.pathname.startsWith('/files/'))
        faults.push(`${at}: ${href} leads out of the site`);
    }
    for (const file of page.files) {
      const url = new URL(file, response.url);
      url.hash = '';
      if (url.origin !== origin || files.has(url.href)) continue;
      const { status, body } = await fetch(url);
      await body?.cancel();
      files.set(url.href, status);
      if (status !== 200) faults.push(`${at}: ${url.href} answers ${status}`);
    }
  }
  faults.push(...listBrokenAnchors(pages));
  const validated = texts.size > maxFullyValidatedPages ? getShare([...texts], 3) : texts;
  for (const [at, html] of validated) faults.push(...(await getFaults(html)).map((fault) => `${at}: ${fault}`));
  return { pages: [...pages.keys()].map((url) => url.slice(site.length)), faults };
}

function listBrokenAnchors(pages: ReadonlyMap<string, Page>): string[] {
  return [...pages].flatMap(([at, { links }]) =>
    links.flatMap((href) => {
      const { hash, href: whole } = new URL(href, at);
      const page = pages.get(whole.slice(0, whole.length - hash.length));
      const isThere = hash.length < 2 || page === undefined || page.ids.has(decodeURIComponent(hash.slice(1)));
      return isThere ? [] : [`${at}: nothing is at ${href}`];
    }),
  );
}
