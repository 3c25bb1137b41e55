import { type Block, isBlock, type TreeData, textAt } from './document-tree.ts';
import { publishedData } from './published-data.ts';
import { type PublishedNode, published, text } from './published-nodes.ts';

/** More lines than this are not named one by one. */
const MAX_LINES = 10_000;

/** A code block: what its fence says beside the language is its title and the lines that stand out. */
export function publishedCode({ data, nodes }: Block): PublishedNode {
  const info = textAt(data, 'syntax') ?? '';
  const syntax = /^[^\s,{]{1,50}/.exec(info)?.[0];
  const title = /\btitle=(?:"([^"]*)"|'([^']*)'|([^\s"']+))/.exec(info)?.slice(1).find(Boolean);
  const named = linesIn(/\{([\d,\s-]{1,200})\}/.exec(info)?.[1] ?? '');
  const lines = nodes.filter(isBlock).map((line, index): PublishedNode => {
    const isHighlighted = line.data.highlighted === true || named.has(index + 1);
    return {
      ...published('block', 'code-line'),
      isVoid: false,
      data: isHighlighted ? { highlighted: true } : {},
      nodes: lineNodes(line),
    };
  });
  return {
    ...published('block', 'code'),
    isVoid: false,
    data: {
      ...(syntax === undefined ? {} : { syntax }),
      ...(title === undefined ? {} : { title }),
      ...publishedData('code', data),
    },
    nodes: lines,
  };
}

const lineNodes = (line: Block): PublishedNode[] => {
  const value = line.nodes
    .flatMap((node) => (node.object === 'text' ? node.leaves.map((leaf) => leaf.text) : []))
    .join('');
  return value === '' ? [] : [text(value)];
};

function linesIn(ranges: string): Set<number> {
  const lines = new Set<number>();
  for (const range of ranges.split(',')) {
    const [, first = '', last = first] = /^\s*(\d{1,6})(?:-(\d{1,6}))?\s*$/.exec(range) ?? [];
    for (let line = Number(first); first !== '' && line <= Number(last) && lines.size < MAX_LINES; line += 1)
      lines.add(line);
  }
  return lines;
}

/** The data of a code block as it is written in markdown. */
export const codeData = (data: TreeData): TreeData => {
  const { collapsedLineCount, ...rest } = data;
  return typeof collapsedLineCount === 'number' ? { ...rest, collapsedLineCount: String(collapsedLineCount) } : rest;
};
