import { getDocument, VerbosityLevel } from '../pdfjs.ts';

/** The contents of a PDF as a PDF viewer shows them. */
export interface SeenPdf {
  title: string;
  /** The text of each sheet. */
  texts: string[];
  /** The external URLs of its links. */
  urls: string[];
  /** The target sheets of its internal links, starting at 0. */
  jumps: number[];
  /** The outline titles, indented by two spaces per level. */
  outline: string[];
}

type Outline = { title: string; items: Outline }[];

/** Reads a PDF with pdf.js. */
export async function readPdf(bytes: Uint8Array): Promise<SeenPdf> {
  const task = getDocument({ data: bytes.slice(), useSystemFonts: false, verbosity: VerbosityLevel.ERRORS });
  const pdf = await task.promise;
  const { info } = (await pdf.getMetadata()) as { info: { Title?: string } };
  const seen: SeenPdf = { title: info.Title ?? '', texts: [], urls: [], jumps: [], outline: [] };
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    seen.texts.push(items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join(''));
    for (const { url, dest } of (await page.getAnnotations()) as { url?: string; dest?: string | unknown[] }[]) {
      if (url !== undefined) seen.urls.push(url);
      const explicit = typeof dest === 'string' ? await pdf.getDestination(dest) : dest;
      if (Array.isArray(explicit)) seen.jumps.push(await pdf.getPageIndex(explicit[0] as { num: number; gen: number }));
    }
    page.cleanup();
  }
  const list = (items: Outline, level: number): string[] =>
    items.flatMap(({ title, items: below }) => [`${'  '.repeat(level)}${title}`, ...list(below, level + 1)]);
  seen.outline = list(((await pdf.getOutline()) ?? []) as Outline, 0);
  await task.destroy();
  return seen;
}
