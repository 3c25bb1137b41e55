import { attributeOf, classesOf, type Element } from './html-tree.ts';

const dropped = new Set(
  'script style template noscript svg canvas nav button select textarea dialog link meta title head map object applet param menu datalist'.split(
    ' ',
  ),
);
const roles = new Set(['navigation', 'banner', 'contentinfo', 'search', 'complementary', 'dialog', 'alertdialog']);

/** Names of classes and ids of what stands around the text of a page; whole names, and the starts of names. */
const names = new Set(
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
  version-badge theme-doc-version-badge theme-doc-toc-mobile theme-doc-breadcrumbs pagehistory`
    .split(/\s+/)
    .filter(Boolean),
);
const nameStarts =
  /^(?:cookie-?(?:banner|consent|notice|law)|onetrust|cc-window|breadcrumb|tocmobile|theme-doc-(?:footer|breadcrumb))/;

/** Whether an element stands around the text of a page or is never seen. */
export function isNoise(node: Element): boolean {
  if (dropped.has(node.tagName) || isHidden(node)) return true;
  if (roles.has(attributeOf(node, 'role') ?? '') && !isAdmonition(node)) return true;
  return nameOf(node).some((name) => names.has(name) || nameStarts.test(name));
}

const nameOf = (node: Element): string[] => [...classesOf(node), attributeOf(node, 'id')?.toLowerCase() ?? ''];

/** Panels of tabs are hidden only until they are chosen. */
function isHidden(node: Element): boolean {
  if (attributeOf(node, 'role') === 'tabpanel' || classesOf(node).includes('tab-pane')) return false;
  return (
    node.properties.hidden === true ||
    attributeOf(node, 'ariaHidden') === 'true' ||
    /display\s{0,9}:\s{0,9}none/i.test(attributeOf(node, 'style')?.slice(0, 1000) ?? '')
  );
}

const containers = new Set(
  'admonition alert callout custom-block markdown-alert theme-admonition hint infobox notice starlight-aside message'.split(
    ' ',
  ),
);
const styles: [string, string[]][] = [
  ['danger', ['danger', 'error', 'bug', 'failure', 'fail', 'critical']],
  ['warning', ['warning', 'caution', 'attention', 'warn', 'deprecated']],
  ['success', ['success', 'tip', 'check', 'done', 'hint--success']],
  ['info', ['note', 'info', 'important', 'seealso', 'abstract', 'question', 'example', 'todo', 'tldr', 'secondary']],
];
const holders = new Set(['div', 'aside', 'section', 'blockquote', 'p', 'details']);
const withoutContainer = new Set('note warning tip caution danger important info attention seealso'.split(' '));

/** The style of hint that an element is, undefined where it is none. */
export function hintStyle(node: Element): string | undefined {
  if (!holders.has(node.tagName)) return undefined;
  const classes = classesOf(node);
  const container = classes.find((name) => containers.has(name));
  if (container === undefined && !classes.some((name) => withoutContainer.has(name))) return undefined;
  const words = classes.map((name) =>
    name.replace(
      /^(?:alert|theme-admonition|admonition|callout|markdown-alert|hint|starlight-aside|custom-block|message|is|notice|type)-{1,2}/,
      '',
    ),
  );
  return styles.find(([, kinds]) => words.some((word) => kinds.includes(word)))?.[0] ?? 'info';
}

const isAdmonition = (node: Element): boolean => hintStyle(node) !== undefined;

const titles =
  /^(?:admonition-?title|admonition-?heading.*|admonitionheading.*|markdown-alert-title|custom-block-title|callout-title|callout-heading|alert-heading|alert-title|starlight-aside__title|hint-title|title)$/;

/** Whether an element is the title of the hint that it is in. */
export const isHintTitle = (node: Element): boolean => classesOf(node).some((name) => titles.test(name));
