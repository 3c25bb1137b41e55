/** The lines of a text, each with its own terminator (LF or CRLF); joining them gives the text back. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** Lengths in UTF-16 units of the whole lines that all texts share at the start and, apart from those, at the end. */
export function commonEnds(texts: readonly string[]): { prefix: number; suffix: number } {
  const [first = '', ...others] = texts;
  const shortest = Math.min(...texts.map((text) => text.length));
  let equal = shortest;
  for (const other of others) equal = equalStart(first, other, equal);
  const prefix = equal === 0 ? 0 : first.lastIndexOf('\n', equal - 1) + 1;
  let suffix = shortest - prefix;
  for (const other of others) suffix = equalEnd(first, other, suffix);
  if (texts.every((text) => beginsLine(text, text.length - suffix))) return { prefix, suffix };
  const newline = first.indexOf('\n', first.length - suffix);
  return { prefix, suffix: newline < 0 ? 0 : first.length - newline - 1 };
}

function equalStart(a: string, b: string, limit: number): number {
  let count = 0;
  while (count < limit && a.charCodeAt(count) === b.charCodeAt(count)) count += 1;
  return count;
}

function equalEnd(a: string, b: string, limit: number): number {
  let count = 0;
  while (count < limit && a.charCodeAt(a.length - 1 - count) === b.charCodeAt(b.length - 1 - count)) count += 1;
  return count;
}

function beginsLine(text: string, position: number): boolean {
  return position === 0 || text[position - 1] === '\n';
}

/** Numbers for lines: equal lines get equal numbers across all texts given to one table. */
export function lineNumbering(): (lines: readonly string[]) => Int32Array {
  const numbers = new Map<string, number>();
  return (lines) => {
    const result = new Int32Array(lines.length);
    lines.forEach((line, index) => {
      const number = numbers.get(line) ?? numbers.size;
      if (number === numbers.size) numbers.set(line, number);
      result[index] = number;
    });
    return result;
  };
}
