import type { OrganizationId } from '@octavo/schema';
import { IndexedDocument } from '@octavo/specification';
import type { SiteApi } from './site-api.ts';

/** In bytes: the largest specification and a few small ones. */
const maxKeptBytes = 24 * 1024 * 1024;

interface KeptDocument {
  tag: string;
  document: IndexedDocument;
}

/**
 * Specifications by the paths that the API gives them at, those read last. Who may read one, and whether it is still the
 * newest, the API says each time: nothing is given that it does not give this visitor.
 */
class KeptSpecifications {
  readonly #kept = new Map<string, KeptDocument>();
  #bytes = 0;

  async read(path: string, api: SiteApi): Promise<IndexedDocument | undefined> {
    const held = this.#kept.get(path);
    const answer = await api.open(path, held?.tag);
    if (answer === undefined) return undefined;
    if (answer.status === 304 && held !== undefined) {
      this.#kept.delete(path);
      this.#kept.set(path, held);
      return held.document;
    }
    const document = new IndexedDocument(new Uint8Array(await answer.arrayBuffer()));
    const tag = answer.headers.get('etag');
    if (tag !== null) this.#keep(path, { tag, document });
    return document;
  }

  #keep(path: string, kept: KeptDocument): void {
    this.#drop(path);
    this.#kept.set(path, kept);
    this.#bytes += kept.document.bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= maxKeptBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(path: string): void {
    this.#bytes -= this.#kept.get(path)?.document.bytes ?? 0;
    this.#kept.delete(path);
  }
}

const kept = new KeptSpecifications();

/** Reads a specification by its slug; undefined where the visitor may read none of that name. */
export type ReadSpecification = (slug: string) => Promise<IndexedDocument | undefined>;

/** The newest version of a specification, where the visitor may read it. */
export const readSpecificationOf = (
  organization: OrganizationId,
  slug: string,
  api: SiteApi,
): Promise<IndexedDocument | undefined> =>
  kept.read(`/v1/orgs/${organization}/openapi/${encodeURIComponent(slug)}/versions/latest/content`, api);

/** Reads specifications for one answer: each is asked for once. */
export function specificationsFor(organization: OrganizationId, api: SiteApi): ReadSpecification {
  const asked = new Map<string, ReturnType<ReadSpecification>>();
  return (slug) => {
    const found = asked.get(slug) ?? readSpecificationOf(organization, slug, api);
    asked.set(slug, found);
    return found;
  };
}
