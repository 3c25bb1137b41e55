import { fromHtml } from 'hast-util-from-html';
import { getLinks, getResolver, type ResolveAddress } from './addresses.ts';
import { getFootnotes } from './footnotes.ts';
import { HeadingIds } from './heading-anchors.ts';
import {
  createElement,
  createTextNode,
  findElement,
  getAttribute,
  getClasses,
  getElements,
  getLine,
  type Parent,
  type Root,
} from './html-tree.ts';
import { findMainContent } from './main-content.ts';
import { rejectExpensiveHtml, WebPageError } from './measure-html.ts';
import { getNavigation, type NavigationItem } from './navigation.ts';
import { findPageTitle, getMeta } from './page-title.ts';
import { type Children, type Simplifier, simplifyChildren } from './simplifier.ts';
import { checkTextSize, simplify } from './simplify.ts';
import { getTabSets } from './tab-sets.ts';
import { writeMarkdown } from './write-markdown.ts';

/** The content of a web page. */
export interface WebPage {
  /** The title; empty if the page has none. */
  title: string;
  description?: string;
  /** The text of the page without its title. All addresses are absolute. */
  markdown: string;
  /** The unique addresses that the whole page links to, without fragments, in order. */
  links: string[];
  /** The addresses of the images in the text. */
  images: string[];
  /** The page tree of the site's navigation. Empty if none is found. */
  navigation: NavigationItem[];
  canonical?: string;
  noIndex: boolean;
  noFollow: boolean;
  /** The target of a meta refresh. */
  redirect?: string;
}

/**
 * Reads the web page at an address.
 * @throws WebPageError if it is too large.
 */
export function readWebPage(html: string, url: string): WebPage {
  rejectExpensiveHtml(html);
  try {
    return getPage(fromHtml(html), url);
  } catch (error) {
    if (error instanceof RangeError) throw new WebPageError('The page is nested too deep.', { cause: error });
    throw error;
  }
}

function getPage(tree: Root, url: string): WebPage {
  const resolve = getResolver(tree, url);
  const main = findMainContent(tree);
  checkTextSize(main);
  const { title, heading } = findPageTitle(tree, main);
  const images = new Set<string>();
  const footnotes = getFootnotes(main);
  const parts = { tabs: getTabSets(main), footnotes, ids: new HeadingIds() };
  const context = { simplify, resolve, heading, images, holders: [], count: { nodes: 0 }, ...parts };
  const children = [...simplify(main, context), ...createNoteTexts(context)];
  const description = getMeta(tree, 'description') ?? getMeta(tree, 'og:description') ?? findSubtitle(main);
  const canonical = resolve(findLinkAddress(tree, 'canonical'));
  const redirect = getRedirect(tree, resolve);
  return {
    title,
    ...(description !== undefined && { description: description.replace(/\s+/g, ' ').trim() }),
    markdown: writeMarkdown(children),
    links: getLinks(tree, resolve),
    images: [...images],
    navigation: getNavigation(tree, { resolve, url }),
    ...(canonical !== undefined && { canonical }),
    ...getRobots(tree),
    ...(redirect !== undefined && { redirect }),
  };
}

/** Returns the footnote texts, one paragraph each. */
function createNoteTexts(context: Simplifier): Children {
  return [...context.footnotes.texts].map(([label, text]) => {
    const children = simplifyChildren({ ...text, tagName: 'div' }, context);
    return createElement('octavo-note-text', [createElement('p', joinOnOneLine(children))], { label });
  });
}

const blocks = new Set(['p', 'div', 'ul', 'ol', 'li', 'blockquote']);

function joinOnOneLine(children: Children): Children {
  return children.flatMap((child): Children => {
    if (child.type !== 'element') return [child];
    if (child.tagName === 'br') return [createTextNode(' ')];
    return blocks.has(child.tagName)
      ? [createTextNode(' '), ...joinOnOneLine(child.children), createTextNode(' ')]
      : [child];
  });
}

function findSubtitle(main: Parent): string | undefined {
  const isSubtitle = (name: string): boolean => ['description', 'subtitle', 'lead'].includes(name);
  const header = findElement(main, ({ tagName }) => tagName === 'header');
  const node = header && findElement(header, (element) => getClasses(element).some(isSubtitle));
  return (node && getLine(node)) || undefined;
}

function findLinkAddress(tree: Root, relation: string): string | undefined {
  for (const node of getElements(tree)) {
    if (node.tagName !== 'link') continue;
    if (getAttribute(node, 'rel')?.toLowerCase().split(/\s+/).includes(relation)) return getAttribute(node, 'href');
  }
  return undefined;
}

function getRobots(tree: Root): { noIndex: boolean; noFollow: boolean } {
  const words = (getMeta(tree, 'robots') ?? '').toLowerCase().split(/[\s,]+/);
  const hasNone = words.includes('none');
  return { noIndex: hasNone || words.includes('noindex'), noFollow: hasNone || words.includes('nofollow') };
}

function getRedirect(tree: Root, resolve: ResolveAddress): string | undefined {
  const isRefresh = (value: string | undefined): boolean => value?.toLowerCase() === 'refresh';
  const node = findElement(
    tree,
    (element) => element.tagName === 'meta' && isRefresh(getAttribute(element, 'httpEquiv')),
  );
  const content = node && getAttribute(node, 'content')?.slice(0, 5000);
  const target = content && /^\s*\d[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content)?.[1];
  return target ? resolve(target) : undefined;
}
