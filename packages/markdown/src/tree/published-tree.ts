import type { Json } from '@octavo/expression';
import { isSameTitle } from '../slug.ts';
import type { Block, DocumentTree } from './document-tree.ts';
import {
  createBlock,
  createUrlReference,
  getMarkup,
  getTagIds,
  getTextAt,
  getTree,
  isBlock,
  toPlainBlocks,
} from './document-tree.ts';
import type { HeadingIds } from './heading-ids.ts';
import { getExplicitIds, getHeadingIds, getIdsInHtml, toPublishedIds } from './heading-ids.ts';
import { getInlines } from './inlines.ts';
import { parseTree } from './parse-tree.ts';
import {
  createOperationBlocks,
  getExpressions,
  getUnparsed,
  publishCode,
  publishData,
  publishEmbed,
  publishFile,
  publishInclude,
  publishMath,
  publishOperation,
  publishPrompt,
  updateData,
} from './published-data.ts';
import {
  hasBlockTags,
  joinRuns,
  readCellContent,
  readHtmlBlocks,
  readInlineBlocks,
  readRunBlocks,
} from './published-html.ts';
import { fitBlocks, PublishedInlines } from './published-inlines.ts';
import type { PublishedDocument, PublishedNode } from './published-nodes.ts';
import {
  addKey,
  createFragment,
  createParagraph,
  createPublishedNode,
  createReference,
  createText,
  getImages,
  getPlainText,
  isEmptyParagraph,
  isShownNode,
  PUBLISHED_VERSION,
  publishReference,
} from './published-nodes.ts';
import { publishTable } from './published-table.ts';
import type { PublishedGroup } from './published-texts.ts';
import { collectPreservedTexts } from './published-texts.ts';
import type { ReferenceOf } from './references.ts';
import { mapReferences } from './references.ts';
import { getResult, type TreeSteps } from './steps.ts';

type Nodes = Block['nodes'];

interface Publishing {
  /** Resolves the address of an include to a content id; undefined if the reader may not know it. */
  includes: (address: string) => string | undefined;
  /** Omits a first heading that equals the page's title, which the renderer draws. */
  title?: string | undefined;
  /** Replaces the addresses in captions, titles and HTML. `mapReferences` replaces all other addresses. */
  references?: ReferenceOf;
  /** Whether an error is shown for an include whose target was not found. */
  tellsMissing?: boolean;
  /** Whether the result contains the source text, so that `readJsonTree` and `renderTree` can restore it. */
  isKept?: boolean;
}

/**
 * Converts a document to the format of official API clients, valid by its schema. Unknown blocks, and blocks that their
 * parent does not allow, are converted to allowed ones.
 */
export const publishTree = (tree: DocumentTree, publishing: Publishing): PublishedDocument =>
  getResult(publishTreeInSteps(tree, publishing));

/** Like `publishTree`, but works in steps. */
export function* publishTreeInSteps(tree: DocumentTree, publishing: Publishing): TreeSteps<PublishedDocument> {
  const groups = yield* new Publisher(tree.nodes, publishing).publishGroups();
  if (publishing.isKept === true) return yield* collectPreservedTexts(tree, groups);
  const nodes = groups.flatMap(({ blocks }) => blocks);
  return { object: 'document', data: { schemaVersion: PUBLISHED_VERSION }, nodes };
}

class Publisher {
  readonly #nodes: Block[];
  readonly #includes: Publishing['includes'];
  readonly #title: string | undefined;
  readonly #tellsMissing: boolean;
  readonly #references: ReferenceOf;
  readonly #ids: ReadonlyMap<Block, HeadingIds>;
  readonly #inlines: PublishedInlines;
  /** Ids that elements of the document already have. */
  readonly #taken: Set<string>;
  /** Ids of elements without content. The next block gets these ids. */
  #waiting: string[] = [];

  constructor(nodes: Block[], { includes, title, tellsMissing = false, references = createUrlReference }: Publishing) {
    this.#nodes = nodes;
    this.#ids = getHeadingIds(nodes);
    this.#taken = new Set([...this.#ids.values()].flatMap(({ id, aliases }) => [id, ...aliases]));
    this.#includes = includes;
    this.#title = title;
    this.#tellsMissing = tellsMissing;
    this.#references = references;
    this.#inlines = new PublishedInlines(nodes, (inside) => this.#blocks(inside));
  }

  /** Returns the published form of each block, in order. */
  *publishGroups(): TreeSteps<PublishedGroup[]> {
    const groups: PublishedGroup[] = [];
    let isFirst = true;
    for (const node of joinRuns(this.#nodes)) {
      yield;
      const fittedBlocks = fitBlocks(this.#convertBlock(node), 'top');
      const isTitle = isFirst && this.#isTitle(node);
      if (isTitle) this.#waiting.push(...getExplicitIds(node));
      const isEmpty = fittedBlocks.every(isEmptyParagraph);
      const blocks = isTitle || (isFirst && isEmpty) ? [] : fittedBlocks;
      isFirst &&= isEmpty;
      groups.push({ node, blocks, isTitle });
    }
    const last = groups.findLast(({ blocks }) => blocks.length > 0);
    last?.blocks.push(...last.blocks.splice(-1).map((node) => addIds(node, this.#waiting.splice(0))));
    return groups;
  }

  #isTitle = ({ type, data, nodes }: Block): boolean =>
    (type.startsWith('heading-') || getMarkup(data, 'hero') === true) && isSameTitle(getPlainText(nodes), this.#title);

  /** Converts blocks. Texts between blocks become paragraphs. */
  #blocks = (nodes: Nodes): PublishedNode[] => {
    const blocks: Block[] = [];
    let line: Nodes = [];
    const endLine = () => {
      if (line.some(isShownNode)) blocks.push(createBlock('paragraph', {}, line));
      line = [];
    };
    for (const node of nodes) {
      if (!isBlock(node)) line.push(node);
      else {
        endLine();
        blocks.push(node);
      }
    }
    endLine();
    return joinRuns(blocks).flatMap((node) => this.#convertBlock(node));
  };

  #in = (container: string, nodes: Nodes): PublishedNode[] => fitBlocks(this.#blocks(nodes), container);

  /** Converts the text of a caption or title to published inlines. */
  #line = (source: Json | undefined): PublishedNode[] =>
    typeof source === 'string' && source !== ''
      ? this.#referring([createBlock('paragraph', {}, getInlines(source, {}))]).flatMap(({ nodes }) =>
          this.#inlines.of(nodes),
        )
      : [];

  #referring = (blocks: Block[]): Block[] => mapReferences(blocks, this.#references);

  /** Converts a block. The first resulting node gets the ids that are in the block's HTML. */
  #convertBlock(node: Block): PublishedNode[] {
    const own = node.type.startsWith('heading-') ? [] : this.#free(getIdsInHtml(node));
    const waiting = this.#waiting.splice(0);
    return this.#withFirstIds(this.#convert(node), [...waiting, ...own]);
  }

  /** Adds ids to the first of these nodes. Without nodes, the next block gets the ids. */
  #withFirstIds([first, ...more]: PublishedNode[], ids: string[]): PublishedNode[] {
    if (first === undefined) this.#waiting.unshift(...ids);
    return first === undefined ? [] : [addIds(first, ids), ...more];
  }

  #free = (ids: string[]): string[] =>
    ids.filter((id) => {
      const isFree = !this.#taken.has(id);
      this.#taken.add(id);
      return isFree;
    });

  #convert(node: Block): PublishedNode[] {
    const [type, render] = [
      node.type,
      Object.hasOwn(this.#renderers, node.type) ? this.#renderers[node.type] : undefined,
    ];
    if (render !== undefined) return render(node);
    const level = /^heading-(\d)$/.exec(type)?.[1];
    if (level !== undefined) return [this.#convertHeading(node, Number(level))];
    if (/^list-(?!item)/.test(type)) return [this.#list(node)];
    if (type === 'swagger' && node.data.ref === undefined) return this.#blocks(createOperationBlocks(node));
    if (type.startsWith('openapi') || type === 'swagger') return publishOperation(node);
    return this.#blocks(node.nodes);
  }

  readonly #renderers: Record<string, (node: Block) => PublishedNode[]> = {
    paragraph: (node) => this.#convertParagraph(node),
    conditional: (node) => this.#publishConditional(node),
    table: (node) => [publishTable(node, this.#cell)],
    'html-run': ({ nodes }) => this.#blocks(readRunBlocks(nodes.filter(isBlock), this.#referring)),
    html: ({ data }) => this.#blocks(this.#referring(readHtmlBlocks(getTextAt(data, 'html') ?? ''))),
    markdown: ({ data }) => getUnparsed(getTextAt(data, 'markdown') ?? ''),
    code: (node) => [addKey(node, publishCode(node))],
    divider: (node) => [addKey(node, { ...createPublishedNode('block', 'divider'), isVoid: true, data: {} })],
    math: (node) => [publishMath(node)],
    image: (node) => [getImages({}, [this.#convertImage(node)])],
    images: (node) => {
      const images = node.nodes.flatMap((each) =>
        isBlock(each) && each.type === 'image' ? [this.#convertImage(each)] : [],
      );
      return [addKey(node, getImages(publishData('images', node.data), images))];
    },
    expandable: (node) => [this.#convertExpandable(node)],
    embed: (node) => [publishEmbed(node), ...this.#blocks(node.nodes)],
    file: (node) => [publishFile(node), ...this.#blocks(node.nodes)],
    drawing: (node) => [publishFile(node)],
    'content-ref': (node) => [createReference(node, 'content-ref', publishReference(node.data.ref))],
    'reusable-content': (node) => this.#include(node),
    prompt: (node) => publishPrompt(node, this.#blocks),
    footnote: () => [],
    updates: (node) => this.#convertUpdates(node),
    hint: (node) => [this.#convertHint(node)],
    blockquote: (node) => [this.#holder(node, 'blockquote')],
    aligned: (node) => this.#blocks(node.nodes).map((each) => align(each, node.data.align)),
    tabs: (node) => [this.#convertParts(node, 'tabs-item')],
    stepper: (node) => [this.#convertParts(node, 'stepper-step')],
    columns: (node) => [this.#convertParts(node, 'column')],
  };

  /** Converts a paragraph. If it contains only one image, and the image has no size, the image becomes a block. */
  #convertParagraph(node: Block): PublishedNode[] {
    if (hasBlockTags(node.nodes)) return this.#blocks(readInlineBlocks(node.nodes));
    const [image, ...others] = node.nodes.filter(isShownNode);
    if (image?.object === 'inline' && image.type === 'inline-image' && others.length === 0 && !('size' in image.data))
      return [addKey(node, getImages({}, [this.#convertImage(image)]))];
    return [addKey(node, createParagraph(this.#inlines.of(node.nodes)))];
  }

  /** Returns the content of a table cell. */
  #cell = (nodes: Nodes): PublishedNode[] => {
    const content = hasBlockTags(nodes) ? readCellContent(nodes) : nodes;
    if (content.some(isBlock)) return this.#blocks(content);
    const line = createBlock('paragraph', {}, content);
    return [addIds(createParagraph(this.#inlines.of(content)), this.#free(getIdsInHtml(line)))];
  };

  #convertHeading(node: Block, level: number): PublishedNode {
    const heading = {
      ...createPublishedNode('block', `heading-${Math.min(level, 3)}`),
      isVoid: false,
      ...toPublishedIds(this.#ids.get(node)),
      nodes: this.#inlines.of(node.nodes),
    };
    return addKey(node, align(heading, node.data.align));
  }

  #holder = (node: Block, container: string, nodes = this.#in(container, node.nodes)): PublishedNode =>
    addKey(node, {
      ...createPublishedNode('block', node.type),
      isVoid: false,
      data: publishData(node.type, node.data),
      nodes,
    });

  #convertHint(node: Block): PublishedNode {
    const title = this.#line(node.data.title);
    const head = title.length === 0 ? [] : [createParagraph([createText(getPlainText(title), 'bold')])];
    return this.#holder(node, 'hint', [...head, ...this.#in('hint', node.nodes)]);
  }

  #list(node: Block): PublishedNode {
    const items = node.nodes.filter(isBlock).map((item) => ({
      ...this.#holder(item, 'list-item'),
      type: 'list-item',
    }));
    return this.#holder(node, 'list', items);
  }

  /** Converts a container whose children all have one type. Other content is wrapped in a child of this type. */
  #convertParts(node: Block, type: string): PublishedNode {
    const parts = node.nodes.filter(isBlock).map((child) => {
      const part = child.type === type ? child : createBlock(type, {}, [child]);
      const { title } = part.data;
      const isNamed = type === 'stepper-step' && typeof title === 'string' && title !== '';
      const inside = this.#withFirstIds(this.#in(type, part.nodes), this.#free(getTagIds(part)));
      if (type === 'tabs-item') dropRepeatedTitle(inside, title);
      const head = isNamed
        ? [{ ...createPublishedNode('block', 'heading-3'), isVoid: false, data: {}, nodes: this.#line(title) }]
        : [];
      return this.#holder(part, type, [...head, ...inside]);
    });
    return this.#holder(node, type, parts);
  }

  #publishConditional(node: Block): PublishedNode[] {
    const branches = node.nodes.filter(isBlock);
    const expressions = getExpressions(branches);
    return branches.map((branch, index) => {
      const data = { expression: expressions[index] ?? 'true' };
      const nodes = this.#in('top', branch.nodes);
      return addKey(branch, { ...createPublishedNode('block', 'if'), isVoid: false, data, nodes });
    });
  }

  #convertImage(node: Pick<Block, 'data'> & { key?: string | undefined }): PublishedNode {
    const caption = this.#line(node.data.caption ?? node.data.title);
    const fragments = caption.length === 0 ? [] : [createFragment('caption', [createParagraph(caption)])];
    return { ...createPublishedNode('block', 'image'), isVoid: true, data: publishData('image', node.data), fragments };
  }

  #convertExpandable(node: Block): PublishedNode {
    const body = this.#in('expandable', node.nodes);
    return addKey(node, {
      ...createPublishedNode('block', 'expandable'),
      isVoid: true,
      data: publishData('expandable', node.data),
      fragments: [
        createFragment('expandable-title', [createParagraph(this.#line(node.data.title))]),
        createFragment('expandable-body', body.length === 0 ? [createParagraph([])] : body),
      ],
    });
  }

  #include(node: Block): PublishedNode[] {
    const address = getTextAt(node.data.ref, 'url') ?? '';
    return publishInclude(node, { address, content: this.#includes(address), reportsMissing: this.#tellsMissing });
  }

  #convertUpdates(node: Block): PublishedNode[] {
    const data = updateData(node);
    if (data === undefined) return this.#blocks(node.nodes.filter(isBlock).flatMap(({ nodes }) => nodes));
    const nodes = node.nodes.filter(isBlock).map((update) => this.#holder(update, 'update'));
    return [
      this.#holder(
        node,
        'update',
        nodes.map((update, index) => ({ ...update, data: data[index] ?? {} })),
      ),
    ];
  }
}

/** Adds ids to a published block that need not be a heading. */
const addIds = (node: PublishedNode, ids: string[]): PublishedNode => {
  const meta = (node.meta ?? {}) as PublishedNode;
  const former = Array.isArray(meta.aliases) ? meta.aliases : [];
  return ids.length === 0 ? node : { ...node, meta: { ...meta, aliases: [...ids, ...former] } };
};

/** Escapes Octavo's tags in a text. */
export const escapeTags = (text: string): string =>
  text.replace(/(`+)[^`]+\1|\{(?=[{%])/g, (match, code?: string) => (code === undefined ? '\\{' : match));

/**
 * Parses text from other sources. Tags in it are not parsed as Octavo's, because these could include or refer to other
 * content.
 */
export const parseForeignBlocks = (text: string): Block[] => (text === '' ? [] : parseTree(escapeTags(text)).nodes);

/** Like `parseForeignBlocks`, but returns published nodes, in which all references are URLs. */
export const publishForeignText = (text: string): PublishedNode[] =>
  publishTree(getTree(toPlainBlocks(parseForeignBlocks(text))), { includes: () => undefined }).nodes;

/** Drops the title of the only code block in a tab if it is the title of the tab. */
function dropRepeatedTitle([code, ...others]: PublishedNode[], title: unknown): void {
  if (others.length > 0 || code?.type !== 'code') return;
  const { title: own, ...data } = code.data as Record<string, Json>;
  if (own === title) code.data = data;
}

/** Aligns a published paragraph or heading that has no alignment of its own. */
const align = (node: PublishedNode, side: Json | undefined): PublishedNode =>
  side !== undefined && /^(?:paragraph|heading-\d)$/.test(String(node.type))
    ? { ...node, data: { align: side, ...(node.data as Record<string, Json>) } }
    : node;
