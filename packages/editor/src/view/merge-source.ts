import { mergeLines, mergeWords } from '@octavo/merge';
import type { Node } from 'prosemirror-model';
import { addressKey, getField } from './block-fields.ts';

/** Merges two changes of a text, if possible also in the same line. Returns undefined if they conflict. */
export function mergeTexts(texts: Parameters<typeof mergeWords>[0]): string | undefined {
  const pieces = mergeLines(texts);
  return pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : mergeWords(texts);
}

function listTargets(doc: Node): Map<string, Node> {
  const targets = new Map<string, Node>();
  doc.descendants((node) => {
    const target = getField(node.attrs.data ?? {}, addressKey);
    if (target !== '') targets.set(target, node);
  });
  return targets;
}

/** Returns the nodes of a changed document, such as images and files, whose targets are new. */
export function findNewTargets(before: Node, after: Node): Node[] {
  const former = listTargets(before);
  return [...listTargets(after)].flatMap(([target, node]) => (former.has(target) ? [] : [node]));
}

/** Appends blocks to a text with its line ends. */
export function appendBlocks(markdown: string, blocks: string[]): string {
  const lineEnd = markdown.includes('\r\n') ? '\r\n' : '\n';
  const added = blocks.map((block) => block.replaceAll('\n', lineEnd));
  const parts = [markdown.trimEnd(), ...added].filter((part) => part !== '');
  return blocks.length === 0 ? markdown : parts.join(lineEnd + lineEnd) + lineEnd;
}
