import type { ComponentChildren, VNode } from 'preact';
import { Picture } from './blocks/media.tsx';
import { InlineMath } from './blocks/text.tsx';
import type { NodeComponent, RenderContext } from './context.ts';
import { getLinkTarget, toHref } from './context.ts';
import type { NodeData, PageLeaf, PageMark, PageNode } from './document.ts';
import { getData, getFragment, getNodes, getText, toClass, toEmoji, toPlainText } from './document.ts';
import { Anchor, Anchors, Icon, TitleIcon } from './elements.tsx';
import { toTone } from './theme/styles.ts';
import { shortenAddress } from './view.ts';

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
function renderColor(inside: ComponentChildren, { text, background }: NodeData): ComponentChildren {
  const [ink, backgroundTone] = [toTone(text), toTone(background)];
  const classes = toClass(ink && `ink-${ink}`, backgroundTone && `on-${backgroundTone}`);
  if (backgroundTone !== undefined) return <mark {...classes}>{inside}</mark>;
  return ink === undefined ? inside : <span {...classes}>{inside}</span>;
}

function renderMark(inside: ComponentChildren, { type, data = {} }: PageMark): ComponentChildren {
  if (type === 'color') return renderColor(inside, data);
  const Tag = Object.hasOwn(tags, type) ? tags[type] : undefined;
  return Tag === undefined ? inside : <Tag>{inside}</Tag>;
}

/** The marks that are drawn. */
export const markTypes = [...Object.keys(tags), 'color'];

const renderLineBreaks = (text: string): ComponentChildren =>
  text.includes('\n') ? text.split('\n').flatMap((line, index) => (index === 0 ? [line] : [<br />, line])) : text;

/** Longer code may break after its separators, so that it does not widen a table. */
const minBreakLength = 20;

/** Inserts line-break opportunities after the separators of code. */
const renderCode = (text: string): ComponentChildren =>
  text.split(/(?<=[_/.:,-])(?=\w)/).flatMap((part, index) => (index === 0 ? [part] : [<wbr />, part]));

function LeafText({ leaf: { text, marks } }: { leaf: PageLeaf }): VNode {
  const isLongCode = text.length > minBreakLength && marks.some(({ type }) => type === 'code');
  return (
    <>{marks.reduceRight<ComponentChildren>(renderMark, isLongCode ? renderCode(text) : renderLineBreaks(text))}</>
  );
}

export const Text = ({ node }: { node: PageNode }): VNode => (
  <>
    {(node.leaves ?? []).map((leaf) => (
      <LeafText leaf={leaf} />
    ))}
  </>
);

/** A link that is broken for this visitor shows only its text. */
const Link: NodeComponent = ({ node, context }) => {
  const inside = context.inlines(getNodes(node));
  const href = toHref(context.view, context.view.resolve(getData(node).ref)?.to);
  if (href === undefined) return inside;
  return (
    <a href={href} {...getLinkTarget(context.view, href)}>
      {inside}
    </a>
  );
};

const Button: NodeComponent = ({ node, context }) => {
  const data = getData(node);
  const kind = data.kind === 'secondary' ? 'button-secondary' : 'button-primary';
  return (
    <Anchor context={context} to={context.view.resolve(data.ref)?.to} {...toClass(kind)}>
      <Icon context={context} name={getText(data, 'icon')} />
      {getText(data, 'label') ?? ''}
    </Anchor>
  );
};

const Emoji: NodeComponent = ({ node }) => toEmoji(getText(getData(node), 'code') ?? '');

const IconInline: NodeComponent = ({ node, context }) => {
  const data = getData(node);
  return <Icon context={context} name={getText(data, 'icon')} tone={toTone(data.color)} />;
};

/** A mention, drawn as a link with its target's title. Nothing is drawn for a broken link. */
const Mention: NodeComponent = ({ node, context }) => {
  const reference = context.view.resolve(getData(node).ref);
  if (reference === undefined) return null;
  return (
    <Anchor context={context} to={reference.to} class="mention">
      <TitleIcon context={context} item={reference} />
      {reference.title ?? shortenAddress(reference.to)}
    </Anchor>
  );
};

const InlineImage: NodeComponent = ({ node, context }) => (
  <Picture data={getData(node)} context={context} sizeClass={getData(node).size === 'line' ? 'inline' : undefined} />
);

/** Returns the additional ids of blocks and of the blocks in them. */
const getAliasesWithin = (nodes: PageNode[], context: RenderContext): string[] =>
  nodes.flatMap((node) => [
    ...(context.headings.aliases.get(node) ?? []),
    ...getAliasesWithin(getNodes(node), context),
  ]);

/** A footnote marker. Its popover works without scripts. Links to ids in its text go to the marker. */
const Annotation: NodeComponent = ({ node, context }) => {
  const id = context.id('note');
  const sign = toPlainText(getNodes(node));
  const body = getFragment(node, 'annotation-body');
  return (
    <>
      <Anchors ids={getAliasesWithin(body, context)} />
      <button type="button" class="annotation" popovertarget={id} aria-label={`${context.texts.note} ${sign}`}>
        {sign}
      </button>
      <span id={id} class="note" popover="auto" role="note">
        {body.map((block) => (
          <FootnoteBlock block={block} context={context} />
        ))}
      </span>
    </>
  );
};

/** A block of a footnote, reduced to elements allowed in a paragraph. Lists and code keep their lines. */
function FootnoteBlock({ block, context }: { block: PageNode; context: RenderContext }): ComponentChildren {
  if (block.type === 'divider') return null;
  if (block.type === 'code')
    return (
      <code class="note-part">
        {getNodes(block)
          .map((line) => toPlainText(getNodes(line)))
          .join('\n')}
      </code>
    );
  if (/^list-(?!item)/.test(block.type ?? ''))
    return getNodes(block).map((item) => (
      <span class="note-part item">
        {getNodes(item).map((inner) => (
          <FootnoteBlock block={inner} context={context} />
        ))}
      </span>
    ));
  return <span class="note-part">{context.inlines(getNodes(block))}</span>;
}

/** The component of each inline type. Documents are evaluated before they are drawn, so expressions draw nothing. */
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
