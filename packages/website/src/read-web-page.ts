import { fromHtml } from 'hast-util-from-html';
import { type Handle, toMdast } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown as serialize } from 'mdast-util-to-markdown';
import { linksOf, type ResolveAddress, resolverOf } from './addresses.ts';
import {
  attributeOf,
  classesOf,
  type Element,
  elementsOf,
  findElement,
  lineOf,
  type Parent,
  type Root,
} from './html-tree.ts';
import { mainContent } from './main-content.ts';
import { measureHtml, WebPageError } from './measure-html.ts';
import { type NavigationItem, navigationOf } from './navigation.ts';
import { metaOf, titleOfPage } from './page-title.ts';
import { simplify } from './simplify.ts';

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

function redirectOf(tree: Root, resolve: ResolveAddress): string | undefined {
  const isRefresh = (value: string | undefined): boolean => value?.toLowerCase() === 'refresh';
  const node = findElement(tree, (each) => each.tagName === 'meta' && isRefresh(attributeOf(each, 'httpEquiv')));
  const content = node && attributeOf(node, 'content')?.slice(0, 5000);
  const written = content && /^\s*\d[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content)?.[1];
  return written ? resolve(written) : undefined;
}

type Markdown = ReturnType<typeof toMdast>;
type Flow = Extract<Markdown, { type: 'html' | 'code' }>;

const html = (value: string) => ({ type: 'html', value }) as const satisfies Flow;

const attribute = (value: string): string => value.replace(/["{}]/g, (each) => encodeURIComponent(each));
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeHtml = (text: string): string => text.replace(/[&<>]/g, (each) => escapes[each] ?? each);

const handlers: Record<string, Handle> = {
  br: (state) => (state.inTable ? html('<br>') : { type: 'break' }),
  'octavo-code': (_, node): Flow => ({
    type: 'code',
    lang: attributeOf(node, 'language') ?? null,
    meta: null,
    value: attributeOf(node, 'code') ?? '',
  }),
  'octavo-embed': (_, node) => html(`{% embed url="${attribute(attributeOf(node, 'url') ?? '')}" %}`),
  'octavo-hint': (state, node) => [
    html(`{% hint style="${attributeOf(node, 'style')}" %}`),
    ...state.toFlow(state.all(node)),
    html('{% endhint %}'),
  ],
  'octavo-details': (state, node) => [
    html(`<details>\n\n<summary>${escapeHtml(attributeOf(node, 'summary') ?? '')}</summary>`),
    ...state.toFlow(state.all(node)),
    html('</details>'),
  ],
};

const opensHint = (node: { type: string; value?: string }): boolean =>
  node.type === 'html' && node.value?.startsWith('{% hint ') === true;
const closesHint = (node: { type: string; value?: string }): boolean =>
  node.type === 'html' && node.value === '{% endhint %}';

const [, ...gfm] = gfmToMarkdown({ tablePipeAlign: false }).extensions ?? [];

const options: Options = {
  bullet: '-',
  emphasis: '_',
  // Three hyphens at the start would open frontmatter.
  rule: '*',
  listItemIndent: 'one',
  fences: true,
  extensions: gfm,
  join: [
    (left, right) =>
      (opensHint(left) && right.type === 'paragraph') || (left.type === 'paragraph' && closesHint(right))
        ? 0
        : undefined,
  ],
  unsafe: [{ character: '{', after: '%', inConstruct: 'phrasing' }],
};

/** Markdown of the GitHub flavor with the blocks of ours. */
function toMarkdown(children: Element['children']): string {
  const tree: Root = { type: 'root', children };
  const markdown = toMdast(tree, { document: true, handlers });
  return serialize(markdown, options).trim();
}
