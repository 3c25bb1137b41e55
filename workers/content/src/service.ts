import { WorkerEntrypoint } from 'cloudflare:workers';
import type { ChangeRequestMove, MergeResult, Metered, ContentService as Promised, UpdateResult } from '@octavo/schema';
import type { ContentEnvironment } from './environment.ts';
import { headOf } from './space-head/head-of.ts';

export class ContentService extends WorkerEntrypoint<ContentEnvironment> implements Promised {
  async mergeChangeRequest(move: ChangeRequestMove): Promise<Metered<MergeResult>> {
    return headOf(this.env, move.space).merge(move);
  }

  async updateChangeRequest(move: ChangeRequestMove): Promise<Metered<UpdateResult>> {
    return headOf(this.env, move.space).pull(move);
  }
}
