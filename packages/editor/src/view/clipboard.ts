import { DOMParser, Fragment, type Node, Slice, type TagParseRule } from 'prosemirror-model';
import { Plugin } from 'prosemirror-state';
import { readNodes, writeNodes } from '../model/page.ts';
import { schema } from '../model/schema.ts';
import { detectStyle } from '../model/style.ts';

const toUrlData = (element: HTMLElement, attribute: string) => ({
  data: { ref: { kind: 'url', url: element.getAttribute(attribute) ?? '' } },
});

const styleName = 'data-pasted-style';

/**
 * Renames the style attributes of pasted HTML and removes its style sheets. A content security policy blocks and reports
 * them even in a document that is not shown.
 */
export const deactivateStyles = (html: string): string =>
  html
    .replace(/<style\b[^<]*(?:<(?!\/?style\b)[^<]*)*<\/style\s*>/gi, '')
    .replace(/<[a-z](?:"[^"<]*"|'[^'<]*'|[^'"<>])*>/gi, (tag) =>
      tag.replace(/([\s"'])style(?=\s*=)/gi, `$1${styleName}`),
    );

/**
 * Creates a rule that reads a mark from the style of a span, as Google Docs writes it. Headings are bold in most
 * programs.
 */
const createStyleRule = (mark: string, style: RegExp): TagParseRule => ({
  tag: `span[${styleName}]`,
  mark,
  consuming: false,
  getAttrs: (element) => {
    const isBoldAnyway = mark === 'bold' && element.closest('h1, h2, h3, h4, h5, h6, th') !== null;
    return style.test(element.getAttribute(styleName) ?? '') && !isBoldAnyway ? null : false;
  },
});

/** Parses HTML of other programs. Elements that are not listed here become text. */
const parser = new DOMParser(schema, [
  { tag: 'style, script, template, noscript, iframe, object, svg', ignore: true },
  createStyleRule('bold', /font-weight:\s*(?:bold|[6-9]00)/i),
  createStyleRule('italic', /font-style:\s*italic/i),
  createStyleRule('strikethrough', /text-decoration[a-z-]*:[^;]*line-through/i),
  { tag: 'p', node: 'paragraph' },
  ...[1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, node: 'heading', attrs: { level } })),
  { tag: 'hr', node: 'divider' },
  { tag: 'blockquote', node: 'blockquote' },
  { tag: 'ul', node: 'list_unordered' },
  { tag: 'ol', node: 'list_ordered' },
  { tag: 'li', node: 'list_item' },
  { tag: 'pre', node: 'code_block', preserveWhitespace: 'full' },
  { tag: 'table', node: 'table' },
  { tag: 'tr', node: 'table_row' },
  { tag: 'th', node: 'table_header' },
  { tag: 'td', node: 'table_cell' },
  { tag: 'br', node: 'hard_break' },
  {
    tag: 'img[src]',
    node: 'inline_image',
    getAttrs: (element) => ({
      data: { ...toUrlData(element, 'src').data, alt: element.getAttribute('alt') ?? '' },
    }),
  },
  { tag: 'a[href]', mark: 'link', getAttrs: (element) => toUrlData(element, 'href') },
  // Google Docs encloses the whole content in this element.
  { tag: 'b', mark: 'bold', getAttrs: (element) => (element.id.startsWith('docs-internal') ? false : null) },
  { tag: 'strong', mark: 'bold' },
  { tag: 'em, i', mark: 'italic' },
  { tag: 's, del, strike', mark: 'strikethrough' },
  { tag: 'kbd', mark: 'keyboard' },
  { tag: 'sup', mark: 'superscript' },
  { tag: 'sub', mark: 'subscript' },
  { tag: 'code', mark: 'code' },
]);

const getNodes = (fragment: Fragment) =>
  Array.from({ length: fragment.childCount }, (_, index) => fragment.child(index));

/** Whether a block is pasted as a whole. Otherwise, only a part, such as its caption, would be pasted at the cursor. */
const isPastedWhole = (node: Node | undefined): boolean => ['embed', 'file', 'images'].includes(node?.type.name ?? '');

function toSlice(markdown: string): Slice {
  const nodes = readNodes(markdown);
  const { content, openStart, openEnd } = Slice.maxOpen(Fragment.from(nodes));
  return new Slice(content, isPastedWhole(nodes[0]) ? 0 : openStart, isPastedWhole(nodes.at(-1)) ? 0 : openEnd);
}

const toParagraphs = (text: string) =>
  text.split(/(?:\r?\n)+/).map((line) => schema.node('paragraph', null, line === '' ? [] : [schema.text(line)]));

/** Copies Markdown as text, and pastes text as Markdown. */
export const clipboardPlugin = new Plugin({
  props: {
    clipboardParser: parser,
    transformPastedHTML: deactivateStyles,
    clipboardTextSerializer: ({ content }) => {
      const nodes = getNodes(content);
      const [only] = nodes;
      // Code is copied without its fence if the selection is in it.
      if (nodes.length === 1 && only?.type.spec.code === true) return only.textContent;
      return writeNodes(nodes, detectStyle(''));
    },
    clipboardTextParser: (text, _context, isPlain) =>
      isPlain ? Slice.maxOpen(Fragment.from(toParagraphs(text))) : toSlice(text),
    handlePaste(view, event) {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      const isOwn = event.clipboardData?.getData('text/html').includes('data-pm-slice') === true;
      if (!isOwn || text === '' || view.state.selection.$from.parent.type.spec.code === true) return false;
      view.dispatch(view.state.tr.replaceSelection(toSlice(text)).setMeta('uiEvent', 'paste').scrollIntoView());
      return true;
    },
  },
});
