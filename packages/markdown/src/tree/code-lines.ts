/** A line of code as it is shown. */
export interface CodeLine {
  text: string;
  highlighted: boolean;
}

const start = String.raw`(?://|#|--|;|%|/\*|<!--|\{/\*)`;
const stop = String.raw`[ \t]{0,9}(?:\*/\}?|-->)?[ \t]{0,9}$`;
/** A comment of Docusaurus on its own line. */
const highlightMark = new RegExp(`^[ \\t]{0,99}${start}[ \\t]{0,9}highlight-(next-line|start|end)${stop}`);
/** A comment of Shiki after code or on its own line. */
const notation = new RegExp(
  `[ \\t]{0,99}${start}[ \\t]{0,9}\\[!code[ \\t]{1,9}(\\+\\+|--|[a-z]{2,20})(?::([^\\]\\n]{1,100}))?\\]${stop}`,
);

/**
 * Reads the comments that control how code is shown: `// highlight-next-line`, `// highlight-start` and `// [!code
 * highlight]`. The comments are removed, and the lines that they select are highlighted. `isNamed` returns whether a
 * line is highlighted without such a comment.
 */
export function readHighlightedLines(lines: readonly string[], isNamed: (index: number) => boolean): CodeLine[] {
  const shownLines: CodeLine[] = [];
  let isOpen = false;
  let next = 0;
  for (const [index, line] of lines.entries()) {
    const markName = line.includes('highlight-') ? highlightMark.exec(line)?.[1] : undefined;
    if (markName !== undefined) {
      isOpen = markName === 'start' || (isOpen && markName !== 'end');
      if (markName === 'next-line') next = Math.max(next, 1);
      continue;
    }
    const [comment = '', name, value = '1'] = line.includes('[!code') ? (notation.exec(line) ?? []) : [];
    const text = line.slice(0, line.length - comment.length);
    const count = name === undefined || name === 'word' ? 0 : Math.min(Number.parseInt(value, 10) || 1, lines.length);
    next = Math.max(next, count);
    if (name !== undefined && text.trim() === '') continue;
    shownLines.push({ text, highlighted: isOpen || next > 0 || isNamed(index) });
    next = Math.max(0, next - 1);
  }
  return shownLines;
}
