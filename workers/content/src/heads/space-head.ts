import { DurableObject } from 'cloudflare:workers';
import type { ChangeRequestMove, Merge, MergeResult, Metered, UpdateResult } from '@octavo/schema';
import type { BranchEdit, EditResult } from '../engine/edit/edit-branch.ts';
import { editBranch } from '../engine/edit/edit-branch.ts';
import { bringImport } from '../engine/imports/bring-import.ts';
import { mergeIntoHead } from '../engine/merge/merge-into-head.ts';
import { pullFromHead } from '../engine/merge/pull-from-head.ts';
import type { ContentEnvironment } from '../environment.ts';
import { Turns } from './turns.ts';

/** One per space: everything that moves the head of its content or of one of its change requests takes turns here. */
export class SpaceHead extends DurableObject<ContentEnvironment> {
  readonly #turns = new Turns();

  edit(edit: BranchEdit): Promise<Metered<EditResult>> {
    return this.#turns.take([edit.branch], () => editBranch(this.env, this.ctx, edit));
  }

  arrive({ import: id, branch }: { import: string; branch: string }): Promise<Metered<void>> {
    return this.#turns.take([branch], () => bringImport(this.env, this.ctx, id));
  }

  merge(merge: Merge): Promise<Metered<MergeResult | null>> {
    return this.#turns.take([merge.space, merge.changeRequest], () => mergeIntoHead(this.env, this.ctx, merge));
  }

  pull(move: ChangeRequestMove): Promise<Metered<UpdateResult>> {
    return this.#turns.take([move.changeRequest], () => pullFromHead(this.env, this.ctx, move));
  }
}
