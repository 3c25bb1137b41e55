import type { Database, Statement } from '@octavo/db';
import { splitIntoJson } from '@octavo/db';
import type { Section } from '@octavo/markdown';
import { hashText } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import { decodeBase64, encodeBase64 } from '@octavo/search';
import { sql } from 'drizzle-orm';
import type { PageSections } from './sections.ts';

/** The number of sections in a row of `search_texts`. */
export const sectionsPerPart = 8;

/** The texts of the sections in a row. */
export type StoredSections = [anchor: string, heading: string, text: string][];

/** A row of `search_texts`. */
export interface StoredPart {
  key: string;
  part: number;
}

export const getPartName = ({ key, part }: StoredPart): string => `${key}/${part}`;

/** Returns the rows of a page. */
export const splitSections = ({ key, sections }: Pick<PageSections, 'key' | 'sections'>) =>
  Array.from({ length: Math.ceil(sections.length / sectionsPerPart) }, (_, part) => {
    const inside = sections.slice(part * sectionsPerPart, (part + 1) * sectionsPerPart);
    return {
      key,
      part,
      sections: inside.map(({ anchor, heading, text }) => [anchor, heading, text]) as StoredSections,
    };
  });

/**
 * Returns the key of the sections of a generated page, or of a page that includes other texts. Other pages use the key
 * of their document. The texts of a key never change.
 */
export const createPageKey = async (space: SpaceId, page: string, sections: Section[]): Promise<string> =>
  `${space}/${page}/${await hashText(JSON.stringify(sections))}`;

/** Whether a key belongs to the texts of a single page. Such texts are deleted when the page gets other texts. */
const isOfPage = (key: string): boolean => key.includes('/');

/**
 * Returns the statements that store the texts of pages. Texts that are stored already are not written. Texts of
 * documents that were deleted after they were read are not written either, because no later deletion would remove them.
 */
export async function writeTexts(db: Database, pages: PageSections[]): Promise<Statement[]> {
  const texts = [
    ...new Map(pages.filter(({ sections }) => sections.length > 0).map((page) => [page.key, page])).values(),
  ].flatMap(splitSections);
  // The texts are compressed one after another, because each compression needs about 256 KB of memory.
  const parts: [key: string, part: number, sections: string][] = [];
  for (const { key, part, sections } of texts) parts.push([key, part, await compressSections(sections)]);
  return splitIntoJson(parts).map((json) =>
    db.run(sql`INSERT INTO search_texts (key, part, sections)
      SELECT value->>0, value->>1, value->>2 FROM json_each(${json})
      WHERE instr(value->>0, '/') > 0 OR EXISTS (SELECT 1 FROM documents d WHERE d.hash = value->>0)
      ON CONFLICT (key, part) DO UPDATE SET sections = excluded.sections WHERE sections <> excluded.sections`),
  );
}

/**
 * Returns the statements that delete the former texts of pages, unless other pages still use them. Texts of documents
 * are deleted with the documents.
 */
export function deleteTexts(db: Database, former: string[], pages: PageSections[]): Statement[] {
  const current = new Set(pages.map(({ key }) => key));
  const unused = former.filter((key) => isOfPage(key) && !current.has(key));
  if (unused.length === 0) return [];
  return [db.run(sql`DELETE FROM search_texts WHERE key IN (SELECT value FROM json_each(${JSON.stringify(unused)}))`)];
}

async function compressSections(sections: StoredSections): Promise<string> {
  const stream = new Response(JSON.stringify(sections)).body?.pipeThrough(new CompressionStream('deflate-raw'));
  return encodeBase64(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/** Reads the `sections` of a row. */
export async function decompressSections(stored: string): Promise<StoredSections> {
  const stream = new Response(decodeBase64(stored)).body?.pipeThrough(new DecompressionStream('deflate-raw'));
  return (await new Response(stream).json()) as StoredSections;
}
