import {
  type Element,
  findElement,
  getAttribute,
  getClasses,
  getElements,
  getLine,
  type Parent,
  type Root,
} from './html-tree.ts';
import { isBoilerplate } from './main-content.ts';

/** The title of a page, and the heading that has it, which is removed from the text. */
interface PageTitle {
  title: string;
  heading: Element | undefined;
}

const separator = /\s+(?:[|·•»–—:-]|::)\s+/;

/**
 * Returns the first top-level heading in the text or before it, otherwise the title element without the site's name.
 */
export function findPageTitle(tree: Root, main: Parent): PageTitle {
  const inMain = findFirstHeading(main);
  const heading = inMain ?? findFirstHeading(tree);
  const title = heading ? getHeadingText(heading) : '';
  if (title !== '') return { title, heading: inMain };
  return { title: removeSiteName(getTitleElement(tree), getSiteName(tree)), heading: undefined };
}

const findFirstHeading = (parent: Parent): Element | undefined =>
  findElement(parent, (node) => node.tagName === 'h1' && getHeadingText(node) !== '');

/** Returns the text of a heading without permalink marks and badges. */
function getHeadingText(heading: Element): string {
  const isTitleDecoration = (node: Element): boolean =>
    isBoilerplate(node) || isPermalink(node) || getClasses(node).some((name) => name === 'version' || name === 'badge');
  const strip = (node: Element): Element => ({
    ...node,
    children: node.children.flatMap((child): Element['children'] => {
      if (child.type !== 'element') return [child];
      return isTitleDecoration(child) ? [] : [strip(child)];
    }),
  });
  return getLine(strip(heading));
}

/** Whether a link in a heading is only a permalink mark. */
export const isPermalink = (node: Element): boolean =>
  node.tagName === 'a' &&
  /^(?:[#¶§\u{1f517}\u200b\uf0c1\s]|link|permalink)*$/iu.test(getLine(node).slice(0, 50)) &&
  (getAttribute(node, 'href')?.includes('#') ?? true) &&
  !findElement(node, ({ tagName }) => tagName === 'img');

function getTitleElement(tree: Root): string {
  const title = findElement(tree, (node) => node.tagName === 'title');
  return (title && getLine(title)) || getMeta(tree, 'og:title') || '';
}

const getSiteName = (tree: Root): string | undefined =>
  getMeta(tree, 'og:site_name') ?? getMeta(tree, 'application-name');

function removeSiteName(title: string, site: string | undefined): string {
  const parts = title.slice(0, 1000).split(separator);
  if (site !== undefined && parts.length > 1) {
    const rest = parts.filter((part) => part.toLowerCase() !== site.toLowerCase());
    if (rest.length > 0 && rest.length < parts.length) return rest[0] ?? title;
  }
  return parts[0] || title;
}

/** Returns the content of a meta element by name or property. */
export function getMeta(tree: Root, name: string): string | undefined {
  for (const node of getElements(tree)) {
    if (node.tagName !== 'meta') continue;
    const key = getAttribute(node, 'name') ?? getAttribute(node, 'property');
    const content = getAttribute(node, 'content')?.trim();
    if (key?.toLowerCase() === name && content) return content;
  }
  return undefined;
}
