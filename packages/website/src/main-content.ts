import { getHintStyle } from './hints.ts';
import {
  type Element,
  findElement,
  getAttribute,
  getChildElements,
  getClasses,
  getElements,
  getLimitedLine,
  isElement,
  type Parent,
  type Root,
} from './html-tree.ts';

const dropped = new Set(
  'script style template noscript svg canvas nav button select textarea dialog link meta title head map object applet param menu datalist'.split(
    ' ',
  ),
);
const roles = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'search',
  'complementary',
  'dialog',
  'alertdialog',
  'doc-backlink',
]);

/** Classes and IDs of elements that are not part of a page's text. `nameStarts` matches prefixes of such names. */
const boilerplateNames = new Set(
  `breadcrumb breadcrumbs crumbs toc table-of-contents tableofcontents table_of_contents sidebar side-nav sidenav navbar
  topbar pagination pager pagination-nav prev-next prevnext page-nav page-navigation next-prev nav-chapters
  nav-wrapper rst-footer-buttons prev-next-area footer-nav docs-prevnext skip-link skip-to-content sr-only
  visually-hidden visuallyhidden screen-reader-text edit-page edit-link edit-this-page editthispage edit-on-github
  theme-edit-this-page last-updated lastupdated page-edit md-source-file copy-button copybtn copy-btn copy-code-button
  clip-button clipboard-copy btn-copy btn-clipboard copy-to-clipboard clipboard share share-buttons social-share
  feedback page-feedback rate-this-page was-this-helpful comments disqus_thread giscus utterances advert advertisement
  ads carbonads headerlink hash-link header-anchor heading-anchor anchor-link anchorjs-link permalink
  octicon-link cookie-banner cookie-consent cookie-notice cookieconsent cookies newsletter mobile-menu menu-toggle
  search-box searchbox viewcode-link viewcode-back mw-editsection mw-jump-link navbox catlinks metadata-nav toctitle
  on-this-page page-toc right-toc local-toc vp-doc-footer vpdocfooter book-menu no-print print-hide
  sl-anchor-link td-heading-self-link subheading-anchor anchor-heading heading-link footnote-backref
  data-footnote-backref footnotes-sep md-content__button md-feedback md-annotation td-page-meta page-meta last-update
  theme-last-updated git-revision-date page-last-modified nextra-toc nextra-breadcrumb mobile-nav-chapters headerbtn
  fn-bracket footnote-definition-label print-page-link suggest-edit docs-edit nav-wide-wrapper a11y-hidden u-visually-hidden assistive-text
  version-badge theme-doc-version-badge theme-doc-toc-mobile theme-doc-breadcrumbs pagehistory`
    .split(/\s+/)
    .filter(Boolean),
);
const nameStarts =
  /^(?:cookie-?(?:banner|consent|notice|law)|onetrust|cc-window|breadcrumb|tocmobile|theme-doc-(?:footer|breadcrumb))/;

/** Whether an element is outside of the page's text or never visible. */
export function isBoilerplate(node: Element): boolean {
  if (dropped.has(node.tagName) || isHidden(node)) return true;
  if (roles.has(getAttribute(node, 'role') ?? '') && getHintStyle(node) === undefined) return true;
  return getName(node).some((name) => boilerplateNames.has(name) || nameStarts.test(name));
}

/** Matches the texts of links to the page's source, and of lines with the time of the last change. */
const leadsToSource =
  /^[^\p{L}]{0,9}(?:(?:edit|improve|suggest (?:an )?edits? (?:to|on)|view source (?:of|for)) (?:this|the) (?:page|doc|article)|edit (?:this )?(?:page )?on (?:github|gitlab)|skip to (?:main )?content|back to top)/iu;
const tellsTime = /^[^\p{L}]{0,9}last (?:updated|modified|edited|update)(?: on| by|:|$)/iu;
const shortLine = 90;

/** Whether a link or a short line is metadata about the page: edit links, dates. */
export function isAboutPage(node: Element): boolean {
  if (!['a', 'div', 'p', 'span', 'time', 'small'].includes(node.tagName)) return false;
  const line = getLimitedLine(node, shortLine);
  return line.length < shortLine && (node.tagName === 'a' ? leadsToSource : tellsTime).test(line);
}

const getName = (node: Element): string[] => [...getClasses(node), getAttribute(node, 'id')?.toLowerCase() ?? ''];

/** Hidden tab panels count as visible: a reader can choose them. */
function isHidden(node: Element): boolean {
  if (getAttribute(node, 'role') === 'tabpanel' || getClasses(node).includes('tab-pane')) return false;
  return (
    node.properties.hidden === true ||
    getAttribute(node, 'ariaHidden') === 'true' ||
    /display\s{0,9}:\s{0,9}none/i.test(getAttribute(node, 'style')?.slice(0, 1000) ?? '')
  );
}

interface ElementTraits {
  tagName: string;
  id: string | undefined;
  classes: readonly string[];
  role: string | undefined;
  property: string | undefined;
}

const hasClass = (name: string) => (node: ElementTraits) => node.classes.includes(name);
const hasId = (name: string) => (node: ElementTraits) => node.id === name;
const isTag = (name: string) => (node: ElementTraits) => node.tagName === name;

/** Tests for elements that usually contain a page's main text, narrowest first. */
const mainContentTests: ((node: ElementTraits) => boolean)[] = [
  (node) => node.property === 'articleBody',
  hasClass('theme-doc-markdown'),
  hasClass('markdown-body'),
  hasClass('md-content__inner'),
  hasClass('vp-doc'),
  hasClass('sl-markdown-content'),
  hasClass('rst-content'),
  hasId('mw-content-text'),
  hasId('wiki-content'),
  (node) => node.tagName === 'article' && !node.classes.some((name) => name === 'card' || name === 'col'),
  isTag('main'),
  (node) => node.role === 'main',
  hasId('main-content'),
  hasId('content'),
  hasClass('markdown'),
  ...[
    'document',
    'page-content',
    'post-content',
    'entry-content',
    'article-content',
    'docs-content',
    'doc-content',
  ].map(hasClass),
  hasClass('content'),
];
/** An element that passes a test must contain this share of the page's text outside of navigation and links. */
const enough = 0.4;

/** Returns the element with the main text of a page. */
export function findMainContent(tree: Root): Parent {
  const body = findElement(tree, ({ tagName }) => tagName === 'body') ?? tree;
  const lengths = measureTextLengths(body);
  const getLength = (node: Parent | undefined): number => (node && lengths.get(node)) ?? 0;
  const largest: (Element | undefined)[] = [];
  for (const node of getElements(body)) {
    const traits = getTraits(node);
    mainContentTests.forEach((isSign, index) => {
      if (isSign(traits) && getLength(node) > getLength(largest[index])) largest[index] = node;
    });
  }
  const minLength = Math.max(1, enough * getLength(body));
  return largest.find((node) => getLength(node) >= minLength) ?? findDensest(body, getLength);
}

const getTraits = (node: Element): ElementTraits => ({
  tagName: node.tagName,
  id: getAttribute(node, 'id'),
  classes: getClasses(node),
  role: getAttribute(node, 'role'),
  property: getAttribute(node, 'itemProp'),
});

/** Counts the text below each element, excluding links and non-text elements. */
function measureTextLengths(body: Parent): Map<Parent, number> {
  const lengths = new Map<Parent, number>();
  const measure = (node: Parent): number => {
    let length = 0;
    for (const child of node.children) {
      if (child.type === 'text') length += child.value.trim().length;
      if (isElement(child) && !isAround(child)) length += measure(child);
    }
    lengths.set(node, length);
    return length;
  };
  measure(body);
  return lengths;
}

const isAround = (node: Element): boolean =>
  node.tagName === 'a' || node.tagName === 'footer' || node.tagName === 'header' || isBoilerplate(node);

/** Descends while a single child contains nearly all of the text. */
function findDensest(body: Parent, lengthOf: (node: Parent) => number): Parent {
  let densestNode = body;
  for (;;) {
    const minLength = 0.9 * lengthOf(densestNode);
    const next = getChildElements(densestNode).find((child) => lengthOf(child) > minLength && isLinkOrButton(child));
    if (!next) return densestNode;
    densestNode = next;
  }
}

const holders = new Set(['div', 'section', 'article', 'main', 'center', 'form']);
const isLinkOrButton = ({ tagName }: Element): boolean => holders.has(tagName);
