import { vi } from 'vitest';
import { getDocument, OPS, VerbosityLevel } from '../pdfjs.ts';

interface Glyph {
  originalCharCode: number;
}

/**
 * Returns the faults of a PDF: warnings of a strict parser, wrong offsets in the xref table, and sheets with missing
 * glyphs.
 */
export async function getFaults(bytes: Uint8Array): Promise<{ warnings: string[]; missingGlyphs: number[] }> {
  const warnings: string[] = offsetFaults(bytes);
  const recordWarning = (...words: unknown[]) => {
    warnings.push(words.join(' '));
  };
  const spies = [
    vi.spyOn(console, 'warn').mockImplementation(recordWarning),
    vi.spyOn(console, 'log').mockImplementation(recordWarning),
  ];
  const missingGlyphs: number[] = [];
  const task = getDocument({ data: bytes.slice(), stopAtErrors: true, verbosity: VerbosityLevel.WARNINGS });
  try {
    const pdf = await task.promise;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await pdf.getPage(number);
      const { fnArray, argsArray } = await page.getOperatorList();
      const glyphs = fnArray.flatMap((operator, index) =>
        operator === OPS.showText ? ((argsArray[index] as [(Glyph | number)[]])[0] ?? []) : [],
      );
      // Glyph 0 of a font is the box that is drawn for missing characters.
      if (glyphs.some((glyph) => typeof glyph === 'object' && glyph.originalCharCode === 0)) missingGlyphs.push(number);
      page.cleanup();
    }
  } finally {
    await task.destroy();
    for (const spy of spies) spy.mockRestore();
  }
  return { warnings, missingGlyphs };
}

/** Checks the object offsets in the xref table at the end of a PDF. */
function offsetFaults(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes).toString('latin1');
  const [, start = ''] = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(text.slice(-64)) ?? [];
  const [head, count = '0'] = /^xref\n0 (\d+)\n/.exec(text.slice(Number(start), Number(start) + 40)) ?? [];
  if (start === '' || head === undefined) return ['There is no table of objects.'];
  const first = Number(start) + head.length;
  const entries = Array.from({ length: Number(count) }, (_, index) => text.substr(first + 20 * index, 20));
  const wrong = entries.flatMap((entry, index) => {
    if (!/^\d{10} \d{5} [nf][ \r][\r\n]$/.test(entry)) return [`The entry ${index} is none: ${entry}`];
    const at = Number(entry.slice(0, 10));
    const isFree = entry[17] === 'f';
    return isFree || text.startsWith(`${index} 0 obj`, at) ? [] : [`The object ${index} is not at ${at}.`];
  });
  const trailer = text.slice(first + 20 * Number(count), first + 20 * Number(count) + 400);
  if (!new RegExp(`^trailer\\s*<<[\\s\\S]*/Size ${count}\\b`).test(trailer))
    wrong.push('The trailer contains another size.');
  return wrong;
}
