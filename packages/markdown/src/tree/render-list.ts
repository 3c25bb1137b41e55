import { type Block, isBlock, markupOf } from './document-tree.ts';

type Context = { previous: Block | undefined; renderBlocks: (nodes: Block['nodes']) => string };

/** A list. Of two that touch, the second has another sign, or both would be read as one. */
export function renderList(list: Block, { previous, renderBlocks }: Context): string {
  const sign = signOf(list, previous);
  const isLoose = markupOf(list.data, 'loose') === true || list.nodes.some((item) => isBlock(item) && isApart(item));
  const start = typeof list.data.start === 'number' ? list.data.start : 1;
  const items = list.nodes.filter(isBlock).map((item, index) => {
    const bullet = isOrdered(list) ? `${start + index}${sign}` : sign;
    const inner = isLoose ? renderBlocks(item.nodes) : tight(item, renderBlocks);
    const task = typeof item.data.checked === 'boolean' ? `[${item.data.checked ? 'x' : ' '}] ` : '';
    return indented(bullet, task + (inner.startsWith('***') ? inner.replace('***', '___') : inner));
  });
  return items.join(isLoose ? '\n\n' : '\n');
}

const isOrdered = (list: Block): boolean => list.type === 'list-ordered';
const isList = (node: Block): boolean => node.type.startsWith('list-') && node.type !== 'list-item';

/** An item of a tight list holds one block, or a text with a list below. */
function isApart({ nodes }: Block): boolean {
  const [first, second, ...more] = nodes.filter(isBlock);
  if (second === undefined) return false;
  return more.length > 0 || first?.type !== 'paragraph' || !isList(second);
}

const tight = (item: Block, renderBlocks: Context['renderBlocks']): string =>
  item.nodes
    .filter(isBlock)
    .map((node) => renderBlocks([node]))
    .join('\n');

const indented = (bullet: string, text: string): string => {
  const space = ' '.repeat(bullet.length + 1);
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? `${bullet} ${line}` : line === '' ? '' : `${space}${line}`).trimEnd())
    .join('\n');
};

function signOf(list: Block, previous: Block | undefined): string {
  const [key, usual, other] = isOrdered(list) ? ['delimiter', '.', ')'] : ['bullet', '*', '-'];
  const own = signIn(list, key ?? '') ?? usual ?? '';
  const touches = previous !== undefined && isList(previous) && isOrdered(previous) === isOrdered(list);
  if (!touches || own !== (signIn(previous, key ?? '') ?? usual)) return own;
  return own === usual ? (other ?? '') : (usual ?? '');
}

/** A list with the sign that it was written with, for the list after it; any other block as it is. */
export function asWritten(node: Block, text: string): Block {
  if (!isList(node)) return node;
  const [key, pattern] = isOrdered(node)
    ? (['delimiter', /^\s*\d+([.)])/] as const)
    : (['bullet', /^\s*([-+*])/] as const);
  const sign = pattern.exec(text)?.[1];
  const markup = sign === undefined ? {} : { [key]: sign };
  return { ...node, data: { ...node.data, markup } };
}

function signIn(list: Block, key: string): string | undefined {
  const sign = markupOf(list.data, key);
  return typeof sign === 'string' && /^[-+*.)]$/.test(sign) ? sign : undefined;
}
