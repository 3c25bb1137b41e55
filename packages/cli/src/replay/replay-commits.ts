import { firstTitle } from '@octavo/outline';
import { type ContentChange, maxChanges, maxTitleLength } from '@octavo/schema';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';

const maxBatchBytes = 4 * 1024 * 1024;
const subjectLength = 100;

/** Brings the commits of a history into a space, each file a page at the root. */
export class Replay {
  merged = 0;
  skipped = 0;
  readonly #api: Api;
  readonly #space: string;
  readonly #pages = new Map<string, string>();

  constructor(api: Api, space: string) {
    this.#api = api;
    this.#space = space;
  }

  /** Brings one commit in as a change request; the last of several changes of a path wins. */
  async apply(subject: string, changes: ReadonlyMap<string, string | null>): Promise<void> {
    const wanted = [...changes].filter(([path, content]) => content !== null || this.#pages.has(path));
    if (wanted.length === 0) {
      this.skipped += 1;
      return;
    }
    const space = { spaceId: this.#space };
    const { id } = await this.#api.createChangeRequest({
      params: space,
      body: { subject: subject.slice(0, subjectLength) },
    });
    const params = { ...space, changeRequestId: id };
    for (const batch of batchesOf(wanted)) await this.#send(params, batch);
    const { result, conflicts = [] } = await this.#api.mergeChangeRequest({ params });
    if (result !== 'merge') {
      const [first] = conflicts;
      throw new Failure(
        `${subject}: the change request ${id} conflicts: ${first?.title ?? first?.id ?? ''} ${first?.message ?? ''}`,
      );
    }
    this.merged += 1;
  }

  async #send(params: { spaceId: string; changeRequestId: string }, batch: [string, string | null][]): Promise<void> {
    const refs = new Map<string, string>();
    const changes = batch.map(([path, content], index) =>
      this.#change(path, content, { refs, ref: `replay-${index}` }),
    );
    const query = { compat: 'false' } as const;
    const answer = await this.#api.updateChangeRequestContent({ params, query, body: { changes } });
    for (const change of 'changes' in answer ? answer.changes : []) {
      const path = change.object === 'created_page' && change.ref !== undefined ? refs.get(change.ref) : undefined;
      if (path !== undefined && change.object === 'created_page') this.#pages.set(path, change.page.id);
    }
  }

  #change(
    path: string,
    content: string | null,
    { refs, ref }: { refs: Map<string, string>; ref: string },
  ): ContentChange {
    const page = this.#pages.get(path);
    if (content === null) {
      this.#pages.delete(path);
      return { operation: 'delete_page', page: page ?? '' };
    }
    const document = { markdown: content };
    if (page !== undefined) return { operation: 'update_page', page, document };
    refs.set(ref, path);
    const title = firstTitle(path.slice(-maxTitleLength));
    return { operation: 'insert_page', ref, document, title, git: { path } };
  }
}

function batchesOf(changes: [string, string | null][]): [string, string | null][][] {
  const batches: [string, string | null][][] = [];
  let bytes = 0;
  for (const change of changes) {
    const size = Buffer.byteLength(JSON.stringify(change));
    const last = batches.at(-1);
    bytes += size;
    if (last && last.length < maxChanges && bytes <= maxBatchBytes) last.push(change);
    else {
      batches.push([change]);
      bytes = size;
    }
  }
  return batches;
}
