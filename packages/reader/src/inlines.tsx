import type { ComponentChildren, VNode } from 'preact';
import { Picture } from './blocks/media.tsx';
import { InlineMath } from './blocks/text.tsx';
import type { NodeData, ShownLeaf, ShownMark, ShownNode } from './document.ts';
import { classesOf, dataOf, emojiOf, fragmentOf, nodesOf, plainText, textOf } from './document.ts';
import type { NodeComponent, PageDrawing } from './drawing.ts';
import { hrefOf, targetOf } from './drawing.ts';
import { Anchor, Icon, Sign } from './elements.tsx';
import { toneOf } from './theme/styles.ts';
import type { ShownAddress } from './view.ts';
import { shortAddress } from './view.ts';

const tags: Record<string, 'strong'> = {
  bold: 'strong',
  italic: 'em' as 'strong',
  code: 'code' as 'strong',
  strikethrough: 's' as 'strong',
  keyboard: 'kbd' as 'strong',
  superscript: 'sup' as 'strong',
  subscript: 'sub' as 'strong',
};

/** Text with a text or background color that the styles define. */
function coloured(inside: ComponentChildren, { text, background }: NodeData): ComponentChildren {
  const [ink, ground] = [toneOf(text), toneOf(background)];
  const classes = classesOf(ink && `ink-${ink}`, ground && `on-${ground}`);
  if (ground !== undefined) return <mark {...classes}>{inside}</mark>;
  return ink === undefined ? inside : <span {...classes}>{inside}</span>;
}

function marked(inside: ComponentChildren, { type, data = {} }: ShownMark): ComponentChildren {
  if (type === 'color') return coloured(inside, data);
  const Tag = Object.hasOwn(tags, type) ? tags[type] : undefined;
  return Tag === undefined ? inside : <Tag>{inside}</Tag>;
}

/** The marks that are drawn. */
export const markTypes = [...Object.keys(tags), 'color'];

const withBreaks = (text: string): ComponentChildren =>
  text.includes('\n') ? text.split('\n').flatMap((line, index) => (index === 0 ? [line] : [<br />, line])) : text;

const LeafText = ({ leaf: { text, marks } }: { leaf: ShownLeaf }): VNode => (
  <>{marks.reduceRight<ComponentChildren>(marked, withBreaks(text))}</>
);

export const Text = ({ node }: { node: ShownNode }): VNode => (
  <>
    {(node.leaves ?? []).map((leaf) => (
      <LeafText leaf={leaf} />
    ))}
  </>
);

/** A link that is broken for this visitor shows only its text. */
const Link: NodeComponent = ({ node, at }) => {
  const inside = at.inlines(nodesOf(node));
  const href = hrefOf(at.view, at.view.resolve(dataOf(node).ref)?.to);
  if (href === undefined) return inside;
  return (
    <a href={href} {...targetOf(at.view, href)}>
      {inside}
    </a>
  );
};

/** Returns the target of a button: its link, or the search page with its query. */
function linkOfButton(data: NodeData, { view }: PageDrawing): ShownAddress | undefined {
  const { action } = data;
  if (typeof action !== 'object' || action === null) return view.resolve(data.ref)?.to;
  const { action: kind, query } = action as { action?: unknown; query?: unknown };
  if (kind !== 'search' && kind !== 'ask') return undefined;
  return `~/search${typeof query === 'string' && query !== '' ? `?q=${encodeURIComponent(query)}` : ''}`;
}

const sizes = new Set(['small', 'large']);

const Button: NodeComponent = ({ node, at }) => {
  const data = dataOf(node);
  const size = sizes.has(String(data.size)) && String(data.size);
  const kind = data.kind === 'secondary' ? 'button-secondary' : 'button-primary';
  return (
    <Anchor at={at} to={linkOfButton(data, at)} {...classesOf(kind, size)}>
      <Icon at={at} name={textOf(data, 'icon')} />
      {textOf(data, 'label') ?? ''}
    </Anchor>
  );
};

const Emoji: NodeComponent = ({ node }) => emojiOf(textOf(dataOf(node), 'code') ?? '');

const IconInline: NodeComponent = ({ node, at }) => {
  const data = dataOf(node);
  return <Icon at={at} name={textOf(data, 'icon')} tone={toneOf(data.color)} />;
};

/** A mention, drawn as a link with its target's title. Nothing is drawn for a broken link. */
const Mention: NodeComponent = ({ node, at }) => {
  const found = at.view.resolve(dataOf(node).ref);
  if (found === undefined) return null;
  return (
    <Anchor at={at} to={found.to} class="mention">
      <Sign at={at} of={found} />
      {found.title ?? shortAddress(found.to)}
    </Anchor>
  );
};

const InlineImage: NodeComponent = ({ node, at }) => (
  <Picture data={dataOf(node)} at={at} sized={dataOf(node).size === 'line' ? 'inline' : undefined} />
);

/** A footnote marker. Its popover works without scripts. */
const Annotation: NodeComponent = ({ node, at }) => {
  const id = at.id('note');
  const sign = plainText(nodesOf(node));
  return (
    <>
      <button type="button" class="annotation" popovertarget={id} aria-label={`${at.texts.note} ${sign}`}>
        {sign}
      </button>
      <span id={id} class="note" popover="auto" role="note">
        {fragmentOf(node, 'annotation-body').map((block) => (
          <NotePart block={block} at={at} />
        ))}
      </span>
    </>
  );
};

/** A block of a footnote, reduced to elements allowed in a paragraph. Lists and code keep their lines. */
function NotePart({ block, at }: { block: ShownNode; at: PageDrawing }): ComponentChildren {
  if (block.type === 'divider') return null;
  if (block.type === 'code')
    return (
      <code class="note-part">
        {nodesOf(block)
          .map((line) => plainText(nodesOf(line)))
          .join('\n')}
      </code>
    );
  if (/^list-(?!item)/.test(block.type ?? ''))
    return nodesOf(block).map((item) => (
      <span class="note-part item">
        {nodesOf(item).map((inner) => (
          <NotePart block={inner} at={at} />
        ))}
      </span>
    ));
  return <span class="note-part">{at.inlines(nodesOf(block))}</span>;
}

/** The component of each inline type. Expressions were evaluated before and draw nothing. */
export const inlines: Record<string, NodeComponent> = {
  annotation: Annotation,
  button: Button,
  emoji: Emoji,
  expression: () => null,
  icon: IconInline,
  'inline-image': InlineImage,
  'inline-math': InlineMath,
  link: Link,
  mention: Mention,
};
