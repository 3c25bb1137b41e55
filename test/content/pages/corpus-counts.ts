import type { PublishedDocument } from '@octavo/markdown';

/** Number of blocks by kind, for kinds with a distinct syntax. */
type Counts = { [kind: string]: number };

const signs: [kind: string, sign: RegExp][] = [
  ['heading', /^ {0,3}#{1,6}(?=[ \t]\S)/gm],
  ['table', /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$|^[ \t]*<table\b/gm],
  ['image', /!\[(?:[^[\]]|\\.)*\](?:\(|\[)|<img\b/g],
  ['expandable', /^[ \t>]*<details\b/gm],
  ['hint', /\{% hint\b|^[ \t]*:{3,}[ \t]*[a-z]+|^[ \t]*> \[!\w+\]/gm],
  ['embed', /\{% embed\b/g],
];

/** Counts the blocks in a Markdown source without the parser. */
export function countSourceBlocks(markdown: string): Counts {
  const fences: string[] = [];
  const body = markdown
    .replace(/^---\r?\n[\s\S]*?\n---\r?\n/, '')
    .replace(/^([ \t>*-]*)(`{3,}|~{3,})(?![^\n]*`)[^\n]*\n(?:[^\n]*\n)*?[ \t>]*\2`*[ \t]*(?=\n|$)/gm, (fence) => {
      fences.push(fence);
      return '';
    })
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/(?<!`)(`+)(?!`)(?:(?!\n\s*\n)[\s\S])+?(?<!`)\1(?!`)/g, 'code');
  const counts = signs.map(([kind, sign]): [string, number] => [kind, body.match(sign)?.length ?? 0]);
  return Object.fromEntries([...counts, ['code', fences.length]]);
}

type Node = { [key: string]: unknown };

/** Counts the blocks in a document. */
export function countDocumentBlocks(document: PublishedDocument): Counts {
  const counts: Counts = {};
  const visit = (nodes: unknown, isInside: boolean): void => {
    for (const node of Array.isArray(nodes) ? (nodes as Node[]) : []) {
      const kind = getBlockKind(node, isInside);
      if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + 1;
      const holds = isInside || node.type === 'hint' || node.type === 'blockquote';
      for (const key of ['nodes', 'fragments']) visit(node[key], holds);
    }
  };
  visit(document.nodes, false);
  return counts;
}

/** In a block that cannot contain code blocks, such as a hint, code is a paragraph formatted as inline code. */
function getBlockKind(node: Node, isInside: boolean): string | undefined {
  const type = String(node.type);
  if (type === 'inline-image') return 'image';
  if (type === 'paragraph' && isInside) return isCode(node) ? 'code' : undefined;
  return type.startsWith('heading-') ? 'heading' : type;
}

function isCode({ nodes }: Node): boolean {
  const [text, ...more] = nodes as { leaves?: { marks: { type: string }[] }[] }[];
  const [leaf, ...others] = text?.leaves ?? [];
  return more.length === 0 && others.length === 0 && leaf?.marks.some(({ type }) => type === 'code') === true;
}
