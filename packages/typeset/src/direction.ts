import type { Span } from './line.ts';

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
/** Maximum number of characters of a paragraph that are processed at once. */
const MAX_PARAGRAPH = 20_000;

type Bidi = ReturnType<typeof import('bidi-js').default>;
let bidiPromise: Bidi | undefined;

async function loadBidi(): Promise<Bidi> {
  bidiPromise ??= (await import('bidi-js')).default();
  return bidiPromise;
}

/**
 * Splits the spans of a paragraph where the writing direction changes and sets their embedding levels, by the Unicode
 * Bidirectional Algorithm (UAX #9). The first letter decides the direction of the paragraph. Code is always left to
 * right.
 */
export async function addLevels(spans: Span[]): Promise<Span[]> {
  if (!spans.some(({ text }) => RIGHT_TO_LEFT.test(text))) return spans;
  const bidi = await loadBidi();
  const length = spans.reduce((sum, { text }) => sum + text.length, 0);
  if (length > MAX_PARAGRAPH) return spans.flatMap((span) => splitByDirection([span], bidi));
  return splitByDirection(spans, bidi);
}

function splitByDirection(spans: Span[], bidi: Bidi): Span[] {
  const text = spans.map((span) => span.text).join('');
  const isCode = spans.every(({ style }) => style.mono);
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text, isCode ? 'ltr' : 'auto');
  const base = paragraphs[0]?.level ?? 0;
  let offset = 0;
  return spans.flatMap((span) => {
    const parts: Span[] = [];
    let start = 0;
    for (let end = 1; end <= span.text.length; end += 1) {
      if (end < span.text.length && levels[offset + end] === levels[offset + start]) continue;
      parts.push({ ...span, text: span.text.slice(start, end), level: levels[offset + start] ?? base, base });
      start = end;
    }
    offset += span.text.length;
    return parts.length === 0 ? [{ ...span, base }] : parts;
  });
}

/** Returns the parts of a line in visual order, from left to right. */
export function reorderParts<Part extends { level?: number }>(parts: Part[]): Part[] {
  const highest = Math.max(0, ...parts.map(({ level = 0 }) => level));
  let result = parts;
  for (let level = highest; level > 0; level -= 1) {
    const next: Part[] = [];
    let run: Part[] = [];
    for (const part of result) {
      if ((part.level ?? 0) >= level) run.unshift(part);
      else {
        next.push(...run, part);
        run = [];
      }
    }
    result = [...next, ...run];
  }
  return result;
}

/** Reverses and mirrors right-to-left characters, because lines are typeset from left to right. */
export const reverseClusters = (clusters: string[]): string =>
  clusters
    .map((cluster) => bidiPromise?.getMirroredCharacter(cluster) ?? cluster)
    .reverse()
    .join('');
