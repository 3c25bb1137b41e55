import type { Block, DocumentTree, Inline, Leaf, Mark, TextNode, TreeData } from './document-tree.ts';
import { SCHEMA_VERSION } from './parse-tree.ts';
import type { PublishedNode } from './published-nodes.ts';
import { getNotes, withTexts } from './published-texts.ts';

const MAX_DEPTH = 50;
const MAX_NODES = 20_000;
const MAX_DATA_DEPTH = 10;

/** The value is not a document tree; `path` is dotted from the document. */
export class TreeError extends Error {
  override name = 'TreeError';
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/**
 * Validates a client's tree, in the format of `parseTree` or of `publishedTree`. Missing fields get their defaults,
 * unknown ones are dropped. `isKept` restores the stored text of unchanged published blocks.
 * @throws TreeError if it is malformed, too deep or too large
 */
export function treeOfJson(
  { data, nodes }: { data: unknown; nodes: unknown },
  { isKept = true }: { isKept?: boolean } = {},
): DocumentTree {
  const read = new Reader().blocks(nodes, { path: 'nodes', depth: 1 });
  const whole = dataAt(data, 'data');
  if (whole.schemaVersion === SCHEMA_VERSION) return { object: 'document', data: whole, nodes: read };
  const blocks = withTexts(read as unknown as PublishedNode[], isKept);
  return {
    object: 'document',
    data: whole,
    nodes: [...blocks, ...getNotes(read as unknown as PublishedNode[], blocks, whole)],
  };
}

type Fragment = { fragment?: string; type?: string; nodes: Block[] };
type Fields = Record<string, unknown>;
type JsonPosition = { path: string; depth: number };

class Reader {
  #count = 0;

  blocks(value: unknown, at: JsonPosition): Block[] {
    return this.#each(value, at, (node, place) => this.#block(node, place));
  }

  #block(node: Fields, at: JsonPosition): Block {
    if (node.object !== 'block') throw new TreeError(`${at.path}.object`, 'must be block');
    const key = node.key === undefined ? {} : { key: textAt(node.key, `${at.path}.key`) };
    const nodes = this.#each(node.nodes ?? [], inside(at, 'nodes'), (child, place) =>
      child.object === 'block' ? this.#block(child, place) : this.#inline(child, place),
    );
    const markup = node.markup === undefined ? {} : { markup: dataAt(node.markup, `${at.path}.markup`) };
    const code = getCode(node, at);
    return { object: 'block', ...key, ...getHead(node, at), nodes, ...markup, ...code, ...this.#fragments(node, at) };
  }

  /** Fields of a published node other than its children. */
  #fragments(node: Fields, at: JsonPosition): { fragments?: Fragment[] } {
    if (node.fragments === undefined) return {};
    const read = (fields: Fields, place: JsonPosition): Fragment => ({
      ...(fields.fragment === undefined ? {} : { fragment: textAt(fields.fragment, `${place.path}.fragment`) }),
      ...(fields.type === undefined ? {} : { type: textAt(fields.type, `${place.path}.type`) }),
      nodes: this.blocks(fields.nodes, inside(place, 'nodes')),
    });
    return { fragments: this.#each(node.fragments, inside(at, 'fragments'), read) };
  }

  #inline(node: Fields, at: JsonPosition): Inline | TextNode {
    if (node.object === 'text') {
      const leaves = this.#each(node.leaves, inside(at, 'leaves'), (leaf, place) => this.#leaf(leaf, place));
      return { object: 'text', leaves };
    }
    if (node.object !== 'inline')
      throw new TreeError(`${at.path}.object`, 'must be text or inline, or block within a block');
    const nodes = this.#each(node.nodes ?? [], inside(at, 'nodes'), (child, place) => this.#inline(child, place));
    return { object: 'inline', ...getHead(node, at), nodes, ...this.#fragments(node, at) };
  }

  #leaf(leaf: Fields, at: JsonPosition): Leaf {
    const marks = this.#each(leaf.marks ?? [], inside(at, 'marks'), getMark);
    return { object: 'leaf', text: textAt(leaf.text, `${at.path}.text`), marks };
  }

  #each<Node>(value: unknown, { path, depth }: JsonPosition, read: (fields: Fields, at: JsonPosition) => Node): Node[] {
    if (!Array.isArray(value)) throw new TreeError(path, 'must be an array');
    this.#count += value.length;
    if (this.#count > MAX_NODES) throw new TreeError(path, `must have at most ${MAX_NODES} nodes, leaves and marks`);
    if (depth > MAX_DEPTH) throw new TreeError(path, `must have at most ${MAX_DEPTH} levels of nesting`);
    return value.map((each: unknown, index) => {
      const place = { path: `${path}.${index}`, depth };
      return read(fieldsAt(each, place.path), place);
    });
  }
}

const inside = ({ path, depth }: JsonPosition, field: string): JsonPosition => ({
  path: `${path}.${field}`,
  depth: depth + 1,
});

/** The data of code that a paragraph represents. */
function getCode({ type, meta }: Fields, { path }: JsonPosition): object {
  if (type !== 'paragraph' || typeof meta !== 'object' || meta === null || !('code' in meta)) return {};
  return { meta: { code: dataAt(meta.code, `${path}.meta.code`) } };
}

const getHead = (node: Fields, { path }: JsonPosition) => ({
  type: textAt(node.type, `${path}.type`),
  data: dataAt(node.data ?? {}, `${path}.data`),
  isVoid: node.isVoid === true,
});

function getMark(fields: Fields, { path }: JsonPosition): Mark {
  const type = textAt(fields.type, `${path}.type`);
  return { object: 'mark', type, ...(fields.data !== undefined && { data: dataAt(fields.data, `${path}.data`) }) };
}

function fieldsAt(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TreeError(path, 'must be an object');
  return value as Fields;
}

function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new TreeError(path, 'must be a string');
  if (!value.isWellFormed()) throw new TreeError(path, 'must be valid Unicode');
  return value;
}

function dataAt(value: unknown, path: string): TreeData {
  checkData(fieldsAt(value, path), path, 1);
  return value as TreeData;
}

function checkData(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') textAt(value, path);
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DATA_DEPTH) throw new TreeError(path, `must have at most ${MAX_DATA_DEPTH} levels of nesting`);
  for (const each of Object.values(value)) checkData(each, path, depth + 1);
}
