import { type Handle, toMdast } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown as serialize } from 'mdast-util-to-markdown';
import { attributeOf, type Element, type Root } from './html-tree.ts';

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
export function toMarkdown(children: Element['children']): string {
  const tree: Root = { type: 'root', children };
  const markdown = toMdast(tree, { document: true, handlers });
  return serialize(markdown, options).trim();
}
