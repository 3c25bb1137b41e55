import { mapConcurrently, paginate } from '@octavo/client';
import type { ChangeRequest, MergeConflict } from '@octavo/schema';
import type { Api } from '../api.ts';
import type { NamedConflict } from '../named-conflict.ts';
import { collect } from '../spaces.ts';
import { Sides } from './held-changes.ts';

const limit = '1000';
const concurrency = 8;
const namedAtMost = 100;
/** The line of a description that says of which change request the conflicts are. */
const mark = 'Octavo-Conflict-Of: ';

/** A change request that holds what is in conflict, and that nobody has decided yet. */
export interface UndecidedRequest {
  id: string;
  number: number;
  subject: string;
  /** What is to be decided in it; nothing where all is, and it waits to be merged. */
  conflicts: NamedConflict[];
}

interface Beginning {
  subject: string;
  revision: string;
  conflicts: MergeConflict[];
}

/** The change requests of a space that hold conflicts of a sync apart. */
export class HeldApart {
  readonly #api: Api;
  readonly #spaceId: string;

  constructor(api: Api, spaceId: string) {
    this.#api = api;
    this.#spaceId = spaceId;
  }

  /** The one that holds the conflicts of another, open or a draft. */
  find = async (of: string): Promise<ChangeRequest | undefined> =>
    (await this.#list()).find(({ description = '' }) => description.endsWith(`\n${mark}${of}`));

  /** All that wait for somebody. */
  async undecided(): Promise<UndecidedRequest[]> {
    return mapConcurrently(await this.#list(), concurrency, async (request) => {
      const { id, number, subject } = request;
      const params = { spaceId: this.#spaceId, changeRequestId: id };
      const { conflicts = [] } = await this.#api.getChangeRequestChanges({ params, query: { limit } });
      return { id, number, subject, conflicts: await this.#named(conflicts, request) };
    });
  }

  /** Things are known by their paths, which the server does not tell with what is in conflict. */
  async #named(conflicts: MergeConflict[], { revision, revisionInitial }: ChangeRequest): Promise<NamedConflict[]> {
    if (conflicts.every(({ kind }) => kind === 'variable')) return conflicts;
    const sides = await Sides.read(this.#api, this.#spaceId, { base: revisionInitial, said: revision });
    return conflicts.map((conflict) => sides.named(conflict));
  }

  /** Begins one, as a draft: it is whole when it is open. */
  begin(of: string, { subject, revision, conflicts }: Beginning): Promise<ChangeRequest> {
    const named = conflicts.slice(0, namedAtMost).map((each) => `- ${nameOf(each)}`.slice(0, namedAtMost - 1));
    const more = conflicts.length > namedAtMost ? [`- and ${conflicts.length - namedAtMost} more`] : [];
    const said = 'What both sides have otherwise, as the repository has it. Archived, what Octavo has stays:';
    return this.#api.createChangeRequest({
      params: { spaceId: this.#spaceId },
      body: {
        subject: `Conflict: ${subject}`.slice(0, 100).toWellFormed(),
        description: `${[said, '', ...named, ...more, '', `${mark}${of}`].join('\n')}`.toWellFormed(),
        revision,
      },
    });
  }

  async #list(): Promise<ChangeRequest[]> {
    const params = { spaceId: this.#spaceId };
    const all = await Promise.all(
      (['open', 'draft'] as const).map((status) =>
        collect(paginate((page) => this.#api.listChangeRequestsForSpace({ params, query: { status, limit, page } }))),
      ),
    );
    return all.flat().filter(({ description }) => description?.includes(`\n${mark}`));
  }
}

/** A conflict in words. */
export const nameOf = ({ kind, id, title, field }: MergeConflict): string => `${kind} ${title ?? id}: ${field}`;
