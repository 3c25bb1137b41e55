import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { type MarkedPart, type MarkedTexts, markDrawnWords } from './words.ts';

/** Returns the text nodes of an element, and their joined text. */
function readText(element: Element): { nodes: Text[]; text: string } {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text) nodes.push(walker.currentNode);
  return { nodes, text: nodes.map(({ data }) => data).join('') };
}

/** Creates the ranges of the changed parts of a text. A part may span several text nodes. */
function createRanges(nodes: Text[], parts: MarkedPart[]): Range[] {
  const ranges: Range[] = [];
  let [start, index, nodeStart] = [0, 0, 0];
  for (const { text, isChanged } of parts) {
    const end = start + text.length;
    for (let node = nodes[index]; node !== undefined && nodeStart < end; node = nodes[index]) {
      const nodeEnd = nodeStart + node.length;
      const range = new Range();
      range.setStart(node, Math.max(0, start - nodeStart));
      range.setEnd(node, Math.min(node.length, end - nodeStart));
      if (isChanged) ranges.push(range);
      if (nodeEnd > end) break;
      nodeStart = nodeEnd;
      index += 1;
    }
    start = end;
  }
  return ranges;
}

function getHighlight(name: string): Highlight {
  const highlight = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, highlight);
  return highlight;
}

interface WordMarks {
  /** The elements with the drawn versions of a block. */
  before: RefObject<Element | null>;
  after: RefObject<Element | null>;
  words: MarkedTexts | undefined;
}

/**
 * Marks the words that differ between two drawn versions of a block, without changing the DOM. Browsers without the CSS
 * Custom Highlight API show no marks.
 */
export function useWordMarks({ before, after, words }: WordMarks, deps: unknown[]): void {
  useLayoutEffect(() => {
    if (before.current === null || after.current === null || words === undefined || !('highlights' in CSS)) return;
    const [old, next] = [readText(before.current), readText(after.current)];
    const marks = [
      {
        highlight: getHighlight('octavo-removed'),
        ranges: createRanges(old.nodes, markDrawnWords(old.text, words.before)),
      },
      {
        highlight: getHighlight('octavo-added'),
        ranges: createRanges(next.nodes, markDrawnWords(next.text, words.after)),
      },
    ];
    for (const { highlight, ranges } of marks) for (const range of ranges) highlight.add(range);
    return () => {
      for (const { highlight, ranges } of marks) for (const range of ranges) highlight.delete(range);
    };
  }, deps);
}
