import { fromHtml } from 'hast-util-from-html';
import { linksOf, type Resolve, resolverOf } from './addresses.ts';
import { attributeOf, classesOf, elementsOf, findElement, lineOf, type Parent, type Root } from './html-tree.ts';
import { mainContent } from './main-content.ts';
import { measureHtml } from './measure-html.ts';
import { type NavigationItem, navigationOf } from './navigation.ts';
import { metaOf, titleOfPage } from './page-title.ts';
import { simplify } from './simplify.ts';
import { toMarkdown } from './to-markdown.ts';
import { WebPageError } from './web-page-error.ts';

/** What a page of a website says. */
export interface WebPage {
  /** Empty where the page has none. */
  title: string;
  description?: string;
  /** The text of the page without its title; all its addresses are absolute. */
  markdown: string;
  /** The addresses that the whole page links to, without fragments, each once, in order. */
  links: string[];
  /** The addresses of the images in the text. */
  images: string[];
  /** The tree of pages that the site shows beside the text; empty where none is found. */
  navigation: NavigationItem[];
  canonical?: string;
  noIndex: boolean;
  noFollow: boolean;
  /** Where the page sends its readers by a meta element. */
  redirect?: string;
}

/** Reads a page of a website that was found at an address; throws WebPageError where it is too much to work on. */
export function readWebPage(html: string, url: string): WebPage {
  measureHtml(html);
  try {
    return pageOf(fromHtml(html), url);
  } catch (error) {
    if (error instanceof RangeError) throw new WebPageError('The page nests too many elements.', { cause: error });
    throw error;
  }
}

function pageOf(tree: Root, url: string): WebPage {
  const resolve = resolverOf(tree, url);
  const main = mainContent(tree);
  const { title, heading } = titleOfPage(tree, main);
  const images = new Set<string>();
  const children = simplify(main, { resolve, heading, images, holders: [], count: { nodes: 0 } });
  const description = metaOf(tree, 'description') ?? metaOf(tree, 'og:description') ?? subtitle(main);
  const canonical = resolve(linkTo(tree, 'canonical'));
  const redirect = redirectOf(tree, resolve);
  return {
    title,
    ...(description !== undefined && { description: description.replace(/\s+/g, ' ').trim() }),
    markdown: toMarkdown(children),
    links: linksOf(tree, resolve),
    images: [...images],
    navigation: navigationOf(tree, { resolve, url }),
    ...(canonical !== undefined && { canonical }),
    ...robotsOf(tree),
    ...(redirect !== undefined && { redirect }),
  };
}

function subtitle(main: Parent): string | undefined {
  const isSubtitle = (name: string): boolean => ['description', 'subtitle', 'lead'].includes(name);
  const header = findElement(main, ({ tagName }) => tagName === 'header');
  const node = header && findElement(header, (each) => classesOf(each).some(isSubtitle));
  return (node && lineOf(node)) || undefined;
}

function linkTo(tree: Root, relation: string): string | undefined {
  for (const node of elementsOf(tree)) {
    if (node.tagName !== 'link') continue;
    if (attributeOf(node, 'rel')?.toLowerCase().split(/\s+/).includes(relation)) return attributeOf(node, 'href');
  }
  return undefined;
}

function robotsOf(tree: Root): { noIndex: boolean; noFollow: boolean } {
  const words = (metaOf(tree, 'robots') ?? '').toLowerCase().split(/[\s,]+/);
  const none = words.includes('none');
  return { noIndex: none || words.includes('noindex'), noFollow: none || words.includes('nofollow') };
}

function redirectOf(tree: Root, resolve: Resolve): string | undefined {
  const isRefresh = (value: string | undefined): boolean => value?.toLowerCase() === 'refresh';
  const node = findElement(tree, (each) => each.tagName === 'meta' && isRefresh(attributeOf(each, 'httpEquiv')));
  const content = node && attributeOf(node, 'content')?.slice(0, 5000);
  const written = content && /^\s*\d[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content)?.[1];
  return written ? resolve(written) : undefined;
}
