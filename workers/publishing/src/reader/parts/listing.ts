import { type PageView, referencesIn, type ShownDocument, type SpecificationReference } from '@octavo/reader';
import { excerptOf, headsOf, type IndexedDocument } from '@octavo/specification';
import type { ReadSpecification } from '../kept-specifications.ts';
import { partsOf, wantedBy } from '../load-specifications.ts';

/** So many parts may stand on one page, */
const maxWholeParts = 12;
/** and of them so much of a specification, in characters of JSON: drawn, it is about three times that. */
const maxWholeLength = 45_000;

/** A page of parts of a specification that each have a page of their own. */
export interface ListedParts {
  spec: string;
  references: SpecificationReference[];
  /** The ids of these, by which addresses name them. */
  slugs: string[];
  /** What is drawn of some of them, and what they all are called by. */
  parts: (references: SpecificationReference[]) => PageView['specifications'];
  heads: (references: SpecificationReference[]) => PageView['specifications'];
}

/** Whether parts are too much for one page, of which each is read alone: some are read many times by many of them. */
function areTooMuch(references: SpecificationReference[], read: IndexedDocument): boolean {
  if (references.length > maxWholeParts) return true;
  let length = 0;
  return references.some((reference) => {
    length += JSON.stringify(excerptOf(read, wantedBy([reference]))).length;
    return length > maxWholeLength;
  });
}

/** The parts of a page that nobody wrote, where these are too much for it; undefined where the page shows them itself. */
export async function listingOf(document: ShownDocument, read: ReadSpecification): Promise<ListedParts | undefined> {
  const references = referencesIn(document.nodes);
  const [first, ...others] = references;
  if (first === undefined || others.length === 0) return undefined;
  const { spec } = first;
  const found = await read(spec);
  if (found === undefined || !areTooMuch(references, found)) return undefined;
  return {
    ...{ spec, references, slugs: references.flatMap(({ slug }) => slug ?? []) },
    parts: (some) => ({ [spec]: partsOf(found, wantedBy(some)) }),
    heads: (some) => ({ [spec]: headsOf(found, wantedBy(some)) }),
  };
}
