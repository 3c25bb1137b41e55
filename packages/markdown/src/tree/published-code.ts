import { codeInfo } from './code-info.ts';
import { type Block, isBlock, type TreeData, textAt } from './document-tree.ts';
import { publishedData } from './published-data.ts';
import { type PublishedNode, published, text } from './published-nodes.ts';

/** A code block: what its fence says beside the language is its title and the lines that stand out. */
export function publishedCode({ data, nodes }: Block): PublishedNode {
  const { lines: named, ...info } = codeInfo(textAt(data, 'syntax') ?? '');
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
    data: { ...info, ...publishedData('code', data) },
    nodes: lines,
  };
}

const lineNodes = (line: Block): PublishedNode[] => {
  const value = line.nodes
    .flatMap((node) => (node.object === 'text' ? node.leaves.map((leaf) => leaf.text) : []))
    .join('');
  return value === '' ? [] : [text(value)];
};

/** The data of a code block as it is written in markdown. */
export const codeData = (data: TreeData): TreeData => {
  const { collapsedLineCount, ...rest } = data;
  return typeof collapsedLineCount === 'number' ? { ...rest, collapsedLineCount: String(collapsedLineCount) } : rest;
};
