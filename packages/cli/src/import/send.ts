import { type Problem, targetOfPage, type WantedEntry, type WantedLink, type WantedPage } from '@octavo/outline';
import { type AppliedChange, type ContentChange, type LinkTarget, maxChanges } from '@octavo/schema';
import type { SourceLinks } from './broken-links.ts';
import { encodeStep, type Names } from './encode.ts';
import type { Matches } from './match.ts';
import type { PlanStep } from './plan.ts';
import type { Outline } from './present.ts';
import { type ImportDestination, refusedChanges, warnedChanges } from './send-changes.ts';

const maxBatchBytes = 4 * 1024 * 1024;

/** The current tree, and the pages in it that match wanted entries. */
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
  onProgress: (done: number) => void = () => {};
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

  /** Sends links to pages last, when every page has its ID: a reference is valid only within its batch. */
  async send(steps: PlanStep[]): Promise<void> {
    await this.#sendAll(steps.filter((step) => !isLinkToFile(step)));
    const links = steps.filter(isLinkToFile);
    for (const { wanted } of links) {
      if (this.#idOfFile(wanted) === undefined) this.#fail(wanted, 'The target page of the link was not imported.');
    }
    await this.#sendAll(links.filter(({ wanted }) => this.#idOfFile(wanted) !== undefined));
  }

  async #sendAll(steps: PlanStep[]): Promise<void> {
    let queue = steps;
    while (queue.length > 0) {
      const outline = this.#outline.copy();
      const changes = this.#encode(queue, outline);
      const refused = await this.#sendBatch(changes, queue);
      if (refused.size === 0) {
        this.#outline = outline;
        for (const step of queue.slice(0, changes.length)) step.present ? this.updated++ : this.created++;
        queue = queue.slice(changes.length);
      } else {
        for (const [index, message] of refused) this.#fail(queue[index]?.wanted, message);
        queue = queue.filter((_, index) => !refused.has(index));
      }
      this.onProgress(this.created + this.updated + this.failed.length);
    }
  }

  #encode(queue: PlanStep[], outline: Outline): ContentChange[] {
    const changes: ContentChange[] = [];
    let bytes = 0;
    for (const step of queue.slice(0, maxChanges)) {
      const { wanted } = step;
      bytes += 1000 + (step.document && wanted.kind === 'page' ? this.#bytesOf(wanted) : 0);
      if (changes.length > 0 && bytes > maxBatchBytes) break;
      changes.push(encodeStep(step, outline, this.#names));
    }
    return changes;
  }

  #bytesOf({ file, path }: WantedPage): number {
    return JSON.stringify([file?.text ?? '', this.#links.of(path)]).length * 1.1;
  }

  async #sendBatch(changes: ContentChange[], steps: PlanStep[]): Promise<Map<number, string>> {
    const { api, params } = this.#destination;
    try {
      const answer = await api.updateChangeRequestContent({
        params,
        query: { compat: 'false' },
        body: { changes },
      });
      if ('changes' in answer) this.#learnIds(answer.changes);
      for (const { index, message } of warnedChanges(answer)) {
        const wanted = steps[index]?.wanted;
        if (wanted !== undefined) this.warned.push({ path: getPath(wanted), message });
      }
      return new Map();
    } catch (error) {
      return refusedChanges(error);
    }
  }

  #learnIds(changes: AppliedChange[]): void {
    for (const change of changes) {
      if (change.object === 'created_page' && change.ref !== undefined) this.#ids.set(change.ref, change.page.id);
    }
  }

  #fail(wanted: WantedEntry | undefined, message: string): void {
    if (wanted !== undefined) this.failed.push({ path: getPath(wanted), message });
  }

  readonly #names: Names = {
    keyOf: (wanted) => this.#keyOf(wanted),
    nameOf: (key) => this.#ids.get(key) ?? key,
    targetOf: (wanted) => this.#targetOf(wanted),
    gitOf: (path) => this.#links.gitOf(path),
    origin: {},
  };

  #keyOf(wanted: WantedEntry): string {
    const present = this.#matches.get(wanted);
    if (present) return present.id;
    const reference = this.#references.get(wanted) ?? `octavo-import-${this.#references.size + 1}`;
    this.#references.set(wanted, reference);
    return reference;
  }

  #targetOf(wanted: WantedEntry): LinkTarget {
    if (wanted.kind === 'link' && wanted.target.kind !== 'file-of-page') return wanted.target;
    const page = this.#idOfFile(wanted) ?? '';
    return wanted.kind === 'link' ? targetOfPage(wanted.target, page) : { kind: 'page', page };
  }

  #idOfFile(link: WantedEntry): string | undefined {
    if (link.kind !== 'link' || link.target.kind !== 'file-of-page') return undefined;
    const { path } = link.target;
    for (const [wanted, page] of this.#matches) if (wanted.kind === 'page' && wanted.path === path) return page.id;
    for (const [wanted, reference] of this.#references) {
      if (wanted.kind === 'page' && wanted.path === path) return this.#ids.get(reference);
    }
    return undefined;
  }
}

const isLinkToFile = (step: PlanStep): step is PlanStep & { wanted: WantedLink } =>
  step.present === undefined && step.wanted.kind === 'link' && step.wanted.target.kind === 'file-of-page';

const getPath = (wanted: WantedEntry): string =>
  wanted.kind === 'page' ? (wanted.path ?? wanted.fallbackTitle) : wanted.title;
