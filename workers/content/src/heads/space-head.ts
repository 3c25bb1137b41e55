import { DurableObject } from 'cloudflare:workers';
import type {
  ChangeRequestMove,
  EditableBranchId,
  ImportId,
  Merge,
  MergeResult,
  Metered,
  SpaceId,
  UpdateResult,
} from '@octavo/schema';
import type { BranchEdit, EditResult } from '../engine/edit/edit-branch.ts';
import { editBranch } from '../engine/edit/edit-branch.ts';
import { finishImport } from '../engine/imports/finish-import.ts';
import { mergeIntoHead, pullFromHead } from '../engine/merge/merge.ts';
import type { ContentEnvironment } from '../environment.ts';

/** One object per space, which serializes all changes of the heads of its content and change requests. */
export class SpaceHead extends DurableObject<ContentEnvironment> {
  readonly #queue = new KeyedQueue();

  edit(edit: BranchEdit): Promise<Metered<EditResult>> {
    return this.#queue.run([edit.branch], () => editBranch(this.env, this.ctx, edit));
  }

  finishImport({ import: id, branch }: { import: ImportId; branch: EditableBranchId }): Promise<Metered<void>> {
    return this.#queue.run([branch], () => finishImport(this.env, this.ctx, id));
  }

  merge(merge: Merge): Promise<Metered<MergeResult | null>> {
    return this.#queue.run([merge.space, merge.changeRequest], () => mergeIntoHead(this.env, this.ctx, merge));
  }

  pull(move: ChangeRequestMove): Promise<Metered<UpdateResult>> {
    return this.#queue.run([move.changeRequest], () => pullFromHead(this.env, this.ctx, move));
  }
}

/**
 * A queue per key. A Durable Object does not serialize calls by itself: they interleave at every await of a database
 * query. So each call waits for earlier calls that share a key with it.
 */
class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<Value>(names: string[], work: () => Promise<Value>): Promise<Value> {
    const predecessors = names.map((name) => this.#tails.get(name));
    const result = Promise.allSettled(predecessors).then(work);
    const settled = result.catch(() => undefined);
    for (const name of names) this.#tails.set(name, settled);
    try {
      return await result;
    } finally {
      for (const name of names) if (this.#tails.get(name) === settled) this.#tails.delete(name);
    }
  }
}

/**
 * The environment of code that calls space heads. Declared here because the code that heads run does not know about
 * heads.
 */
export interface HeadEnvironment extends ContentEnvironment {
  SPACE_HEAD: DurableObjectNamespace<SpaceHead>;
}

/** Returns the Durable Object of a space. */
export const getHead = (env: Pick<HeadEnvironment, 'SPACE_HEAD'>, space: SpaceId) =>
  env.SPACE_HEAD.get(env.SPACE_HEAD.idFromName(space));
