import { WorkerEntrypoint } from 'cloudflare:workers';
import { metered, urlsOf } from '@octavo/runtime';
import type {
  ChangeRequestMove,
  List,
  Merge,
  MergeResult,
  Metered,
  OrganizationSearch,
  ContentService as Promised,
  SpaceSearchResult,
  TargetReading,
  TargetState,
  UpdateResult,
} from '@octavo/schema';
import type { ContentEnvironment } from './environment.ts';
import { searchOrganization } from './search/search-organization.ts';
import { headOf } from './space-head/head-of.ts';
import { readTargets } from './targets/read-targets.ts';

export class ContentService extends WorkerEntrypoint<ContentEnvironment> implements Promised {
  async mergeChangeRequest(merge: Merge): Promise<Metered<MergeResult | null>> {
    return headOf(this.env, merge.space).merge(merge);
  }

  async updateChangeRequest(move: ChangeRequestMove): Promise<Metered<UpdateResult>> {
    return headOf(this.env, move.space).pull(move);
  }

  async searchOrganization(search: OrganizationSearch): Promise<Metered<List<SpaceSearchResult>>> {
    return metered(this.env, ({ db }) => searchOrganization(db, search, urlsOf(this.env)));
  }

  async readTargets(reading: TargetReading): Promise<Metered<TargetState[]>> {
    return metered(this.env, ({ db }) => readTargets(db, reading));
  }
}
