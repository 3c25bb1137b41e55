import { getDocument, VerbosityLevel } from '../pdfjs.ts';

/** A PDF as a reader of PDFs sees it. */
export interface SeenPdf {
  title: string;
  /** The text of each page of paper. */
  texts: string[];
  /** The addresses outside of the PDF that it leads to. */
  urls: string[];
  /** The pages of paper that links inside of it lead to, from 0. */
  jumps: number[];
  /** The titles of the outline, those of nested entries after two spaces for each level. */
  outline: string[];
}

type Outline = { title: string; items: Outline }[];

/** Reads a PDF as browsers do. */
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
