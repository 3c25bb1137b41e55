import type { Json } from '@octavo/expression';
import { type Block, type Inline, isBlock, type TextNode, textAt } from './document-tree.ts';
import { codeOf } from './emoji.ts';
import { publishedMarks } from './published-marks.ts';
import { type PublishedNode, paragraph, plainText, published, text } from './published-nodes.ts';
import { fit } from './published-places.ts';
import { fileReference, publishedReference } from './published-references.ts';

type Nodes = Block['nodes'];
type BlocksOf = (nodes: Nodes) => PublishedNode[];

/** Characters of all notes, each as often as it is referred to, and what a note counts for at least. */
const MAX_NOTES = 256 * 1024;
const MIN_NOTE = 100;

/** Inlines as renderers take them. A line that ends within a paragraph is a space, a hard break a line feed. */
export class PublishedInlines {
  readonly #notes = new Map<string, Block>();
  readonly #blocks: BlocksOf;
  #left = MAX_NOTES;

  constructor(nodes: Nodes, blocks: BlocksOf) {
    this.#blocks = blocks;
    for (const node of nodes.filter(isBlock))
      if (node.type === 'footnote') this.#notes.set(textAt(node.data, 'label') ?? '', node);
  }

  of = (nodes: Nodes): PublishedNode[] => joined(nodes.flatMap((node) => (isBlock(node) ? [] : this.#inline(node))));

  #inline(node: Inline | TextNode): PublishedNode[] {
    if (node.object === 'text') return [textNode(node)];
    const { type, data } = node;
    if (type === 'hard-break') return [text('\n')];
    if (type === 'html') return sourceText(textAt(data, 'html') ?? '');
    if (type === 'emoji') return [emoji(textAt(data, 'name') ?? '')];
    if (type === 'annotation') return [this.#annotation(textAt(data, 'label') ?? '')];
    if (type === 'link') return [this.#link(node)];
    if (type === 'mention') return [inline(type, { data: { ref: publishedReference(data.ref) } })];
    if (type === 'button') return [button(node)];
    if (type === 'inline-image') return [inlineImage(node)];
    const key = VALUES[type];
    if (key !== undefined) return [inline(type, { data: { [key]: textAt(data, key) ?? '' } })];
    return this.of(node.nodes);
  }

  /** Images and texts alone stand in links. */
  #link(node: Inline): PublishedNode {
    const inside = joined(
      this.of(node.nodes).map((each) =>
        each.object === 'text' || each.type === 'inline-image' ? each : text(plainText([each])),
      ),
    );
    return inline('link', { isVoid: false, data: { ref: publishedReference(node.data.ref) }, nodes: inside });
  }

  #annotation(label: string): PublishedNode {
    const note = this.#notes.get(label);
    if (note === undefined) return text(`[^${label}]`);
    if (this.#left > 0) this.#left -= MIN_NOTE + plainText(note.nodes).length;
    if (this.#left <= 0) return text(`[^${label}]`);
    this.#notes.delete(label);
    const body = fit(this.#blocks(note.nodes), 'annotation');
    this.#notes.set(label, note);
    const type = 'annotation-body';
    const fragment = { object: 'fragment', fragment: type, type, nodes: body.length === 0 ? [paragraph([])] : body };
    return inline('annotation', { isVoid: false, data: {}, fragments: [fragment], nodes: [text(label)] });
  }
}

/** An emoji of no known name is what is written for it. */
function emoji(name: string): PublishedNode {
  const code = codeOf(name);
  return code === undefined ? text(`:${name}:`) : inline('emoji', { data: { code } });
}

/** The inlines that are one value. */
const VALUES: Record<string, string | undefined> = {
  icon: 'icon',
  'inline-math': 'formula',
  expression: 'expression',
};

const inline = (type: string, more: PublishedNode): PublishedNode => ({
  ...published('inline', type),
  isVoid: true,
  ...more,
});

const textNode = ({ leaves }: TextNode): PublishedNode => ({
  object: 'text',
  leaves: leaves.map((leaf) => ({
    object: 'leaf',
    text: leaf.text.replace(/\n/g, ' '),
    marks: publishedMarks(leaf.marks),
  })),
});

type PublishedLeaf = { object: 'leaf'; text: string; marks: Json[] };

/** Texts beside each other are one, and leaves of equal marks too. */
function joined(nodes: PublishedNode[]): PublishedNode[] {
  const result: PublishedNode[] = [];
  let open: PublishedLeaf[] | undefined;
  for (const node of nodes) {
    if (node.object !== 'text') {
      open = undefined;
      result.push(node);
      continue;
    }
    if (open === undefined) {
      open = [];
      result.push({ object: 'text', leaves: open });
    }
    for (const leaf of node.leaves as PublishedLeaf[]) addLeaf(open, leaf);
  }
  return result;
}

function addLeaf(leaves: PublishedLeaf[], leaf: PublishedLeaf): void {
  const last = leaves.at(-1);
  if (last === undefined || JSON.stringify(last.marks) !== JSON.stringify(leaf.marks)) leaves.push({ ...leaf });
  else last.text += leaf.text;
}

/** A comment that nothing ends goes on to the end: looking for its end again from each that begins in it takes too long. */
export const withoutTags = (source: string): string => source.replace(/<!--[\s\S]*?(?:-->|$)|<[^<>]*>/g, '');

function sourceText(source: string): PublishedNode[] {
  const shown = withoutTags(source);
  return shown === '' ? [] : [text(shown)];
}

function button(node: Inline): PublishedNode {
  const { data } = node;
  const kind = data.kind === 'secondary' ? 'secondary' : 'primary';
  const icon = textAt(data, 'icon');
  const ref = publishedReference(data.ref);
  return inline('button', { data: { label: plainText(node.nodes), kind, ref, ...iconData(icon) } });
}

/** Names of icons are short. */
export const iconData = (icon: string | undefined): PublishedNode =>
  icon === undefined || icon === '' || icon.length > 50 ? {} : { icon };

function inlineImage({ data }: Inline): PublishedNode {
  const { alt, size } = data;
  return inline('inline-image', {
    data: {
      ref: fileReference(data.ref),
      ...(data.refDark === undefined ? {} : { refDark: fileReference(data.refDark) }),
      ...(typeof alt === 'string' ? { alt } : {}),
      ...(size === 'original' || size === 'line' ? { size } : {}),
    },
  });
}
