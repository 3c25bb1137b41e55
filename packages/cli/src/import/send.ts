import { type Problem, toPageTarget, type WantedEntry, type WantedLink, type WantedPage } from '@octavo/outline';
import { type AppliedChange, type ContentChange, type LinkTarget, maxChanges } from '@octavo/schema';
import type { Matches, PlanStep } from '@octavo/space-files';
import type { SourceLinks } from './broken-links.ts';
import { encodeStep, type Names } from './encode.ts';
import type { Outline } from './outline.ts';
import { type ImportDestination, parseRefusedChanges, parseWarnedChanges } from './send-changes.ts';

const maxBatchBytes = 4 * 1024 * 1024;

/** The current tree, and the pages in it that match entries of the repository. */
interface SendState {
  matches: Matches;
  outline: Outline;
  importedFrom?: string;
}

/** A sender of import steps in batches. A page that the server rejects is left out, and the batch is sent again. */
export class Sender {
  created = 0;
  updated = 0;
  readonly failed: Problem[] = [];
  readonly warned: Problem[] = [];
  onProgress: (doneCount: number) => void = () => {};
  readonly #destination: ImportDestination;
  readonly #links: SourceLinks;
  readonly #matches: Matches;
  readonly #references = new Map<WantedEntry, string>();
  readonly #ids = new Map<string, string>();
  #outline: Outline;

  constructor(destination: ImportDestination, links: SourceLinks, { matches, outline, importedFrom }: SendState) {
    this.#destination = destination;
    this.#links = links;
    this.#matches = matches;
    this.#outline = outline;
    this.#names.origin = importedFrom === undefined ? {} : { importedFrom };
  }

  /**
   * Sends links to pages last, when every page has its ID. A reference to a new page is valid only in the batch that
   * creates the page.
   */
  async send(steps: PlanStep[]): Promise<void> {
    await this.#sendAll(steps.filter((step) => !isLinkToFile(step)));
    const links = steps.filter(isLinkToFile);
    for (const { entry } of links) {
      if (this.#findFileId(entry) === undefined) this.#fail(entry, 'The target page of the link was not imported.');
    }
    await this.#sendAll(links.filter(({ entry }) => this.#findFileId(entry) !== undefined));
  }

  async #sendAll(steps: PlanStep[]): Promise<void> {
    let queue = steps;
    while (queue.length > 0) {
      const outline = this.#outline.copy();
      const changes = this.#encode(queue, outline);
      const refusals = await this.#sendBatch(changes, queue);
      if (refusals.size === 0) {
        this.#outline = outline;
        for (const step of queue.slice(0, changes.length)) step.present ? this.updated++ : this.created++;
        queue = queue.slice(changes.length);
      } else {
        for (const [index, message] of refusals) this.#fail(queue[index]?.entry, message);
        queue = queue.filter((_, index) => !refusals.has(index));
      }
      this.onProgress(this.created + this.updated + this.failed.length);
    }
  }

  #encode(queue: PlanStep[], outline: Outline): ContentChange[] {
    const changes: ContentChange[] = [];
    let bytes = 0;
    for (const step of queue.slice(0, maxChanges)) {
      const { entry } = step;
      bytes += 1000 + (step.document && entry.kind === 'page' ? this.#countBytes(entry) : 0);
      if (changes.length > 0 && bytes > maxBatchBytes) break;
      changes.push(encodeStep(step, outline, this.#names));
    }
    return changes;
  }

  #countBytes({ file, path }: WantedPage): number {
    return JSON.stringify([file?.text ?? '', this.#links.getLinks(path)]).length * 1.1;
  }

  async #sendBatch(changes: ContentChange[], steps: PlanStep[]): Promise<Map<number, string>> {
    const { api, params } = this.#destination;
    try {
      const response = await api.updateChangeRequestContent({
        params,
        query: { compat: 'false' },
        body: { changes },
      });
      if ('changes' in response) this.#recordIds(response.changes);
      for (const { index, message } of parseWarnedChanges(response)) {
        const entry = steps[index]?.entry;
        if (entry !== undefined) this.warned.push({ path: getPath(entry), message });
      }
      return new Map();
    } catch (error) {
      return parseRefusedChanges(error);
    }
  }

  #recordIds(changes: AppliedChange[]): void {
    for (const change of changes) {
      if (change.object === 'created_page' && change.ref !== undefined) this.#ids.set(change.ref, change.page.id);
    }
  }

  #fail(entry: WantedEntry | undefined, message: string): void {
    if (entry !== undefined) this.failed.push({ path: getPath(entry), message });
  }

  readonly #names: Names = {
    getKey: (entry) => this.#getKey(entry),
    getName: (key) => this.#ids.get(key) ?? key,
    getTarget: (entry) => this.#getTarget(entry),
    getGitSource: (path) => this.#links.getGitSource(path),
    origin: {},
  };

  #getKey(entry: WantedEntry): string {
    const present = this.#matches.get(entry);
    if (present) return present.id;
    const reference = this.#references.get(entry) ?? `octavo-import-${this.#references.size + 1}`;
    this.#references.set(entry, reference);
    return reference;
  }

  #getTarget(entry: WantedEntry): LinkTarget {
    if (entry.kind === 'link' && entry.target.kind !== 'file-of-page') return entry.target;
    const page = this.#findFileId(entry) ?? '';
    return entry.kind === 'link' ? toPageTarget(entry.target, page) : { kind: 'page', page };
  }

  #findFileId(link: WantedEntry): string | undefined {
    if (link.kind !== 'link' || link.target.kind !== 'file-of-page') return undefined;
    const { path } = link.target;
    for (const [entry, page] of this.#matches) if (entry.kind === 'page' && entry.path === path) return page.id;
    for (const [entry, reference] of this.#references) {
      if (entry.kind === 'page' && entry.path === path) return this.#ids.get(reference);
    }
    return undefined;
  }
}

const isLinkToFile = (step: PlanStep): step is PlanStep & { wanted: WantedLink } =>
  step.present === undefined && step.entry.kind === 'link' && step.entry.target.kind === 'file-of-page';

const getPath = (entry: WantedEntry): string =>
  entry.kind === 'page' ? (entry.path ?? entry.fallbackTitle) : entry.title;
