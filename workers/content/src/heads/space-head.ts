import { DurableObject } from 'cloudflare:workers';
import type {
  ChangeRequestMove,
  ImportId,
  Merge,
  MergeResult,
  Metered,
  OpenBranchId,
  SpaceId,
  UpdateResult,
} from '@octavo/schema';
import type { BranchEdit, EditResult } from '../engine/edit/edit-branch.ts';
import { editBranch } from '../engine/edit/edit-branch.ts';
import { bringImport } from '../engine/imports/bring-import.ts';
import { mergeIntoHead, pullFromHead } from '../engine/merge/merge.ts';
import type { ContentEnvironment } from '../environment.ts';

/** One per space: everything that moves the head of its content or of one of its change requests takes turns here. */
export class SpaceHead extends DurableObject<ContentEnvironment> {
  readonly #turns = new Turns();

  edit(edit: BranchEdit): Promise<Metered<EditResult>> {
    return this.#turns.take([edit.branch], () => editBranch(this.env, this.ctx, edit));
  }

  arrive({ import: id, branch }: { import: ImportId; branch: OpenBranchId }): Promise<Metered<void>> {
    return this.#turns.take([branch], () => bringImport(this.env, this.ctx, id));
  }

  merge(merge: Merge): Promise<Metered<MergeResult | null>> {
    return this.#turns.take([merge.space, merge.changeRequest], () => mergeIntoHead(this.env, this.ctx, merge));
  }

  pull(move: ChangeRequestMove): Promise<Metered<UpdateResult>> {
    return this.#turns.take([move.changeRequest], () => pullFromHead(this.env, this.ctx, move));
  }
}

/**
 * Takes turns on named things. A Durable Object does not serialize calls by itself: they interleave at every await of
 * the database, so each call waits here for those before it that share a name with it.
 */
class Turns {
  readonly #tails = new Map<string, Promise<unknown>>();

  async take<Value>(names: string[], work: () => Promise<Value>): Promise<Value> {
    const before = names.map((name) => this.#tails.get(name));
    const turn = Promise.allSettled(before).then(work);
    const settled = turn.catch(() => undefined);
    for (const name of names) this.#tails.set(name, settled);
    try {
      return await turn;
    } finally {
      for (const name of names) if (this.#tails.get(name) === settled) this.#tails.delete(name);
    }
  }
}

/** The environment of what moves content. It stands here, since what a head runs knows of no heads. */
export interface HeadEnvironment extends ContentEnvironment {
  SPACE_HEAD: DurableObjectNamespace<SpaceHead>;
}

/** The object that takes the turns of a space. */
export const headOf = (env: Pick<HeadEnvironment, 'SPACE_HEAD'>, space: SpaceId) =>
  env.SPACE_HEAD.get(env.SPACE_HEAD.idFromName(space));
