import { type Handle, toMdast } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown as serialize } from 'mdast-util-to-markdown';
import { type Element, getAttribute, type Root } from './html-tree.ts';

type Markdown = ReturnType<typeof toMdast>;
type Node = Exclude<Markdown, { type: 'root' }>;

const createHtml = (value: string) => ({ type: 'html', value }) as const satisfies Node;

const escapeAddress = (value: string): string => value.replace(/["{}]/g, (each) => encodeURIComponent(each));
const quoteValue = (value: string): string => value.replace(/["\\]/g, '\\$&').replaceAll('%}', '% }');
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeHtml = (text: string): string => text.replace(/[&<>]/g, (each) => escapes[each] ?? each);
const getText = (node: Element, name: string): string => getAttribute(node, name) ?? '';

/** Returns a handler that writes an Octavo container block. */
const createBlockHandler =
  (open: (node: Element) => string, close: string): Handle =>
  (state, node) => [createHtml(open(node)), ...state.toFlow(state.all(node)), createHtml(close)];

const handlers: Record<string, Handle> = {
  br: (state) => (state.inTable ? createHtml('<br>') : { type: 'break' }),
  'octavo-code': (_, node) => {
    const code = { type: 'code', lang: getAttribute(node, 'language') ?? null, meta: null } as const;
    const fence = { ...code, value: getText(node, 'code') };
    const title = getText(node, 'title');
    return title === ''
      ? fence
      : [createHtml(`{% code title="${quoteValue(title)}" %}`), fence, createHtml('{% endcode %}')];
  },
  'octavo-embed': (_, node) => createHtml(`{% embed url="${escapeAddress(getText(node, 'url'))}" %}`),
  'octavo-hint': createBlockHandler((node) => `{% hint style="${getText(node, 'style')}" %}`, '{% endhint %}'),
  'octavo-tabs': createBlockHandler(() => '{% tabs %}', '{% endtabs %}'),
  'octavo-tab': createBlockHandler((node) => `{% tab title="${quoteValue(getText(node, 'title'))}" %}`, '{% endtab %}'),
  'octavo-stepper': createBlockHandler(() => '{% stepper %}', '{% endstepper %}'),
  'octavo-step': createBlockHandler(() => '{% step %}', '{% endstep %}'),
  'octavo-details': createBlockHandler(
    (node) => `<details>\n\n<summary>${escapeHtml(getText(node, 'summary'))}</summary>`,
    '</details>',
  ),
  'octavo-cards': (_, node) => createHtml(getText(node, 'html')),
  'octavo-anchor': (_, node) => createHtml(`<a id="${getText(node, 'id')}"></a>`),
  'octavo-id': (_, node) => createHtml(getText(node, 'suffix')),
  'octavo-tag': (state, node) => {
    const name = getText(node, 'name');
    return [createHtml(`<${name}>`), ...state.all(node), createHtml(`</${name}>`)];
  },
  'octavo-formula': (state, node) => {
    const tex = getText(node, 'tex');
    const isBlock = node.properties.isBlock === true && !state.inTable;
    return createHtml(isBlock ? `$$\n${tex}\n$$` : `$$${tex.replace(/\s+/g, ' ')}$$`);
  },
  'octavo-note': (_, node) => {
    const label = getText(node, 'label');
    return { type: 'footnoteReference', identifier: label.toLowerCase(), label };
  },
  'octavo-note-text': (state, node) => {
    const label = getText(node, 'label');
    return {
      type: 'footnoteDefinition',
      identifier: label.toLowerCase(),
      label,
      children: state.toFlow(state.all(node)),
    };
  },
};

interface WrittenNode {
  type: string;
  value?: string;
}

const isHtml = ({ type, value = '' }: WrittenNode, pattern: RegExp): boolean => type === 'html' && pattern.test(value);
const isOpeningTag = (node: WrittenNode): boolean => isHtml(node, /^\{% (?:hint|tabs|tab|stepper|step|code)\b/);
const isClosingTag = (node: WrittenNode): boolean => isHtml(node, /^\{% end/);
const isTight = (node: WrittenNode): boolean => ['paragraph', 'code', 'heading'].includes(node.type);

const [, ...gfm] = gfmToMarkdown({ tablePipeAlign: false }).extensions ?? [];

const options: Options = {
  bullet: '-',
  emphasis: '_',
  // A rule of three hyphens at the start would be parsed as frontmatter.
  rule: '*',
  listItemIndent: 'one',
  fences: true,
  extensions: gfm,
  join: [
    (left, right) =>
      (isOpeningTag(left) && (isTight(right) || isOpeningTag(right))) ||
      ((isTight(left) || isClosingTag(left)) && isClosingTag(right))
        ? 0
        : undefined,
  ],
  unsafe: [{ character: '{', after: '[%{#]', inConstruct: 'phrasing' }],
};

/** Writes GitHub Flavored Markdown with Octavo's blocks. */
export function writeMarkdown(children: Element['children']): string {
  const tree: Root = { type: 'root', children };
  const markdown = toMdast(tree, { document: true, handlers });
  return serialize(markdown, options).trim();
}
