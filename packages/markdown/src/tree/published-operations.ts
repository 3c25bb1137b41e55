import { type Block, block, isBlock, type TextNode, type TreeData, textAt, textOf } from './document-tree.ts';
import { mark } from './markup.ts';
import { flags, publishedData, texts } from './published-data.ts';
import { type PublishedNode, paragraph, published, text, withKey } from './published-nodes.ts';
import { fileReference } from './published-references.ts';

/** A block of a specification, which is named by its slug whatever the tag calls it; one that names no part is text. */
export function publishedOperation(node: Block): PublishedNode[] {
  const { data, type } = node;
  const part = partOf(type, data);
  const ref = specificationOf(type, data);
  if (part === undefined || ref === undefined) {
    const words = wordsOf(data);
    return words === '' ? [] : [withKey(node, paragraph([text(words)]))];
  }
  const isFile = ref.kind !== 'openapi';
  const operation = {
    ...published('block', isFile ? 'swagger' : type),
    isVoid: true,
    data: { ref, ...part, ...flags(data, ...(isFile ? ['expanded', 'fullWidth'] : ['headless'])) },
    ...(node.meta === undefined ? {} : { meta: node.meta }),
  };
  return [withKey(node, operation)];
}

function specificationOf(type: string, data: TreeData): TreeData | undefined {
  const spec = textAt(data.ref, 'spec') ?? textAt(data, 'spec');
  if (spec !== undefined && type.startsWith('openapi-')) return { kind: 'openapi', spec };
  const isFile = (type === 'openapi' || type === 'swagger') && data.ref !== undefined;
  return isFile ? fileReference(data.ref) : undefined;
}

function partOf(type: string, data: TreeData): PublishedNode | undefined {
  const [path, method, name] = [textAt(data, 'path'), textAt(data, 'method'), textAt(data, 'name')];
  if (type === 'openapi-schemas') {
    const { schemas } = data;
    const names = typeof schemas === 'string' ? schemas.split(',').map((each) => each.trim()) : schemas;
    if (!Array.isArray(names)) return undefined;
    return { schemas: names.map(String), ...flags(data, 'grouped'), ...texts(data, 'title') };
  }
  if (method === undefined) return undefined;
  if (type === 'openapi-webhook') return name === undefined ? undefined : { name, method };
  return path === undefined ? undefined : { path, method };
}

const wordsOf = (data: TreeData): string =>
  ['spec', 'method', 'path', 'name', 'schemas'].flatMap((key) => textAt(data, key) ?? []).join(' ');

const line = (...texts: [text: string | undefined, ...marks: string[]][]): Block[] => {
  const nodes = texts.flatMap(([text = '', ...marks]): TextNode[] => {
    const types = marks.map((type) => mark(type));
    return text === '' ? [] : [textOf(text, types)];
  });
  return nodes.length === 0 ? [] : [block('paragraph', {}, nodes)];
};

/** An operation that is written out as blocks: what it is called, its address, its parameters and its responses. */
export function writtenOperation({ data, nodes }: Block): Block[] {
  const address = `${textAt(data, 'baseUrl') ?? ''}${textAt(data, 'path') ?? ''}`;
  const call = [textAt(data, 'method')?.toUpperCase() ?? '', address].filter((each) => each !== '').join(' ');
  return [
    ...line([textAt(data, 'summary'), 'bold']),
    ...line([call, 'code']),
    ...nodes.filter(isBlock).flatMap(partOfOperation),
  ];
}

function partOfOperation(node: Block): Block[] {
  const { data, type, nodes } = node;
  const inner = nodes.filter(isBlock);
  if (type === 'swagger-description') return inner;
  if (type === 'swagger-response')
    return [...line([textAt(data, 'status'), 'bold']), ...line([textAt(data, 'description')]), ...inner];
  if (type !== 'swagger-parameter') return [node];
  const said = ['in', 'type', 'required'].flatMap((key) => {
    const value = textAt(data, key);
    return value === undefined || value === 'false' ? [] : [key === 'required' ? 'required' : value];
  });
  return [...line([textAt(data, 'name'), 'code'], [said.length === 0 ? '' : ` ${said.join(', ')}`]), ...inner];
}

/** A text for an assistant: what it is for, and the text itself where that is code; any other is a text as all others. */
export function publishedPrompt(node: Block, blocksOf: (nodes: Block[]) => PublishedNode[]): PublishedNode[] {
  const inside = node.nodes.filter(isBlock);
  if (inside[0]?.type !== 'code' || inside.length > 1)
    return blocksOf([...line([textAt(node.data, 'description'), 'bold']), ...inside]);
  const data = publishedData('prompt', node.data);
  return [withKey(node, { ...published('block', 'prompt'), isVoid: false, data, nodes: blocksOf(inside) })];
}
