import type { Block, DocumentTree, Inline, Leaf, Mark, TextNode, TreeData } from './document-tree.ts';
import { SCHEMA_VERSION } from './parse-tree.ts';
import type { PublishedNode } from './published-nodes.ts';
import { getNotes, restoreTexts } from './published-texts.ts';

const MAX_DEPTH = 50;
const MAX_NODES = 20_000;
const MAX_DATA_DEPTH = 10;

/**
 * The error for a value that is not a document tree. `path` is the dotted path of the invalid value in the document.
 */
export class TreeError extends Error {
  override name = 'TreeError';
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/**
 * Validates a client's tree, in the format of `parseTree` or of `publishTree`. Missing fields get their defaults,
 * unknown ones are dropped. `isKept` restores the stored text of unchanged published blocks.
 * @throws TreeError if it is malformed, too deep or too large
 */
export function readJsonTree(
  { data, nodes }: { data: unknown; nodes: unknown },
  { isKept = true }: { isKept?: boolean } = {},
): DocumentTree {
  const rootBlocks = new Reader().readBlocks(nodes, { path: 'nodes', depth: 1 });
  const rootData = readData(data, 'data');
  if (rootData.schemaVersion === SCHEMA_VERSION) return { object: 'document', data: rootData, nodes: rootBlocks };
  const blocks = restoreTexts(rootBlocks as unknown as PublishedNode[], isKept);
  return {
    object: 'document',
    data: rootData,
    nodes: [...blocks, ...getNotes(rootBlocks as unknown as PublishedNode[], blocks, rootData)],
  };
}

type Fragment = { fragment?: string; type?: string; nodes: Block[] };
type Fields = Record<string, unknown>;
type JsonPosition = { path: string; depth: number };

class Reader {
  #count = 0;

  readBlocks(value: unknown, position: JsonPosition): Block[] {
    return this.#parseItems(value, position, (node, nodePosition) => this.#parseBlock(node, nodePosition));
  }

  #parseBlock(node: Fields, position: JsonPosition): Block {
    if (node.object !== 'block') throw new TreeError(`${position.path}.object`, 'must be block');
    const key = node.key === undefined ? {} : { key: readText(node.key, `${position.path}.key`) };
    const nodes = this.#parseItems(node.nodes ?? [], enterField(position, 'nodes'), (child, childPosition) =>
      child.object === 'block' ? this.#parseBlock(child, childPosition) : this.#parseInline(child, childPosition),
    );
    const markup = node.markup === undefined ? {} : { markup: readData(node.markup, `${position.path}.markup`) };
    const code = getCode(node, position);
    return {
      object: 'block',
      ...key,
      ...getHead(node, position),
      nodes,
      ...markup,
      ...code,
      ...this.#parseFragments(node, position),
    };
  }

  /** Parses the fragments that a published node can have in addition to its children. */
  #parseFragments(node: Fields, position: JsonPosition): { fragments?: Fragment[] } {
    if (node.fragments === undefined) return {};
    const readFragment = (fields: Fields, fragmentPosition: JsonPosition): Fragment => ({
      ...(fields.fragment === undefined
        ? {}
        : { fragment: readText(fields.fragment, `${fragmentPosition.path}.fragment`) }),
      ...(fields.type === undefined ? {} : { type: readText(fields.type, `${fragmentPosition.path}.type`) }),
      nodes: this.readBlocks(fields.nodes, enterField(fragmentPosition, 'nodes')),
    });
    return { fragments: this.#parseItems(node.fragments, enterField(position, 'fragments'), readFragment) };
  }

  #parseInline(node: Fields, position: JsonPosition): Inline | TextNode {
    if (node.object === 'text') {
      const leaves = this.#parseItems(node.leaves, enterField(position, 'leaves'), (leaf, leafPosition) =>
        this.#parseLeaf(leaf, leafPosition),
      );
      return { object: 'text', leaves };
    }
    if (node.object !== 'inline')
      throw new TreeError(`${position.path}.object`, 'must be text or inline, or block within a block');
    const nodes = this.#parseItems(node.nodes ?? [], enterField(position, 'nodes'), (child, childPosition) =>
      this.#parseInline(child, childPosition),
    );
    return { object: 'inline', ...getHead(node, position), nodes, ...this.#parseFragments(node, position) };
  }

  #parseLeaf(leaf: Fields, position: JsonPosition): Leaf {
    const marks = this.#parseItems(leaf.marks ?? [], enterField(position, 'marks'), getMark);
    return { object: 'leaf', text: readText(leaf.text, `${position.path}.text`), marks };
  }

  #parseItems<Node>(
    value: unknown,
    { path, depth }: JsonPosition,
    readItem: (fields: Fields, position: JsonPosition) => Node,
  ): Node[] {
    if (!Array.isArray(value)) throw new TreeError(path, 'must be an array');
    this.#count += value.length;
    if (this.#count > MAX_NODES) throw new TreeError(path, `must have at most ${MAX_NODES} nodes, leaves and marks`);
    if (depth > MAX_DEPTH) throw new TreeError(path, `must have at most ${MAX_DEPTH} levels of nesting`);
    return value.map((each: unknown, index) => {
      const position = { path: `${path}.${index}`, depth };
      return readItem(readFields(each, position.path), position);
    });
  }
}

const enterField = ({ path, depth }: JsonPosition, field: string): JsonPosition => ({
  path: `${path}.${field}`,
  depth: depth + 1,
});

/** Returns the code data of a paragraph that represents a code block. */
function getCode({ type, meta }: Fields, { path }: JsonPosition): object {
  if (type !== 'paragraph' || typeof meta !== 'object' || meta === null || !('code' in meta)) return {};
  return { meta: { code: readData(meta.code, `${path}.meta.code`) } };
}

const getHead = (node: Fields, { path }: JsonPosition) => ({
  type: readText(node.type, `${path}.type`),
  data: readData(node.data ?? {}, `${path}.data`),
  isVoid: node.isVoid === true,
});

function getMark(fields: Fields, { path }: JsonPosition): Mark {
  const type = readText(fields.type, `${path}.type`);
  return { object: 'mark', type, ...(fields.data !== undefined && { data: readData(fields.data, `${path}.data`) }) };
}

function readFields(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TreeError(path, 'must be an object');
  return value as Fields;
}

function readText(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new TreeError(path, 'must be a string');
  if (!value.isWellFormed()) throw new TreeError(path, 'must be valid Unicode');
  return value;
}

function readData(value: unknown, path: string): TreeData {
  checkData(readFields(value, path), path, 1);
  return value as TreeData;
}

function checkData(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') readText(value, path);
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DATA_DEPTH) throw new TreeError(path, `must have at most ${MAX_DATA_DEPTH} levels of nesting`);
  for (const each of Object.values(value)) checkData(each, path, depth + 1);
}
