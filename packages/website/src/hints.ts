import { type Element, findElement, getAttribute, getClasses, getLimitedLine, getLine } from './html-tree.ts';

const containers = new Set(
  `admonition admonitionblock alert callout custom-block markdown-alert theme-admonition hint hints-alert infobox notice
  notices starlight-aside message blockquote-tag book-hint nextra-callout hextra-callout confluence-information-macro
  pageinfo`.split(/\s+/),
);
const prefix =
  /^(?:alert|theme-admonition|admonition|callout|markdown-alert|hint|starlight-aside|custom-block|message|is|notice|type|blockquote-tag|pageinfo|confluence-information-macro|x:bg|x:border|nx-bg|nx-border|hx-bg|hx-border|hx:bg|hx:border|bg|border)(?:-{1,2}|_)/;
const styles: [string, string[]][] = [
  ['danger', ['danger', 'error', 'bug', 'failure', 'fail', 'critical']],
  ['warning', ['warning', 'caution', 'attention', 'warn', 'deprecated']],
  ['success', ['success', 'tip', 'check', 'done', 'hint--success', 'okay']],
  ['info', ['note', 'info', 'important', 'seealso', 'abstract', 'question', 'example', 'todo', 'tldr', 'secondary']],
];
/** Colors of boxes without a meaningful class name, with a shade: `bg-red-100`. */
const colours: [string, RegExp][] = [
  ['danger', /^(?:red|rose)-\d/],
  ['warning', /^(?:yellow|amber)-\d/],
  ['success', /^(?:green|emerald|orange)-\d/],
];
const holders = new Set(['div', 'aside', 'section', 'blockquote', 'p']);
const withoutContainer = new Set('note warning tip caution danger important info attention seealso'.split(' '));

/** Returns the hint style of an element, or undefined if it is not a hint. */
export function getHintStyle(node: Element): string | undefined {
  if (!holders.has(node.tagName)) return undefined;
  const classes = getClasses(node);
  const container = classes.find((name) => containers.has(name)) ?? getAttribute(node, 'dataCalloutType');
  if (container === undefined && !classes.some((name) => withoutContainer.has(name))) return undefined;
  // These alerts have the word "caution" in their class name but are red, unlike other hints with this word.
  if (classes.includes('markdown-alert-caution') || classes.includes('blockquote-tag-caution')) return 'danger';
  const words = [...classes, getAttribute(node, 'dataCalloutType') ?? ''].map((name) => name.replace(prefix, ''));
  const match = styles.find(([, kinds]) =>
    words.some((word) => kinds.includes(word.replace(/-(?:subtle|solid)$/, ''))),
  );
  const coloured = colours.find(([, colour]) => words.some((word) => colour.test(word)));
  return match?.[0] ?? coloured?.[0] ?? 'info';
}

const titles =
  /^(?:admonition-?title|admonition-?heading.*|admonitionheading.*|markdown-alert-title|custom-block-title|callout-title|callout-heading|alert-heading|alert-title|starlight-aside__title|hint-title|blockquote-tag-title|box-label|title)$/;
const names =
  /^(?:note|tip|info|information|warning|caution|danger|important|attention|hint|success|error|see also|seealso)?:?$/i;
const signs = /^\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\p{Extended_Pictographic}|\u200d|\ufe0f|\s){0,8}$/u;

/**
 * Returns the title element of a hint, and the text of the title without the name of the kind of hint. This text can be
 * empty.
 */
export function getHintTitle(hint: Element): { element: Element; text: string } | undefined {
  const title = findElement(hint, (node) => getClasses(node).some((name) => titles.test(name)));
  if (title === undefined) return undefined;
  const text = getLine(title);
  if (!getLimitedLine(hint, text.length + 1).startsWith(text)) return undefined;
  return { element: title, text: names.test(text) ? '' : text };
}

/** Whether an element contains only the icon of a hint: a pictograph. */
export const isHintSign = (node: Element): boolean => signs.test(getLimitedLine(node, 10));
