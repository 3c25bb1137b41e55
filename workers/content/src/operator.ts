import { WorkerEntrypoint } from 'cloudflare:workers';
import type { DataChunk, DataPosition, Parameter } from '@octavo/db';
import { checkData, connect, prepareQuery, readRow, selection, spaces } from '@octavo/db';
import type { WaitingJob } from '@octavo/runtime';
import {
  listWaitingJobs,
  readHealth,
  readMetrics,
  releaseClaims,
  replayJobs,
  resendEventsBefore,
} from '@octavo/runtime';
import type { Health, SpaceId } from '@octavo/schema';
import { and, eq, isNull } from 'drizzle-orm';
import type { HeadEnvironment } from './heads/space-head.ts';
import { queueJobs, resumeImports } from './jobs/crons.ts';
import { storedData } from './stored-data.ts';

const ownerRow = selection({ organization: spaces.organization });
const findOwner = prepareQuery(ownerRow, (select, space: Parameter<SpaceId>) =>
  select.from(spaces).where(and(eq(spaces.id, space), isNull(spaces.deletedAt))),
);

/** Commands of the installation's operator. Bound to the installation's control channel, never to the gateway. */
export class Operator extends WorkerEntrypoint<HeadEnvironment> {
  async listJobs(): Promise<{ jobs: WaitingJob[] }> {
    return { jobs: await listWaitingJobs(this.#connect()) };
  }

  async readMetrics(): Promise<{ text: string }> {
    return { text: await readMetrics(this.#connect()) };
  }

  async readHealth(): Promise<Health> {
    return readHealth(this.#connect());
  }

  async replayJobs(selection: { id: string } | { all: true }): Promise<{ replayed: number }> {
    return { replayed: await replayJobs(this.#connect(), selection) };
  }

  /**
   * Queues the indexing of one live space or of all spaces. Returns the number of queued jobs: 0 if the space does not
   * exist.
   */
  async rebuildSearch({ space }: { space?: SpaceId }): Promise<{ queued: number }> {
    if (space === undefined) {
      await queueJobs(this.env, this.ctx, [{ type: 'index_spaces', data: { anew: true } }]);
      return { queued: 1 };
    }
    const row = await readRow(this.#connect(), findOwner(space));
    if (row === undefined) return { queued: 0 };
    await queueJobs(this.env, this.ctx, [{ type: 'index_space', ...row, space, data: { anew: true } }]);
    return { queued: 1 };
  }

  /** Checks a limited part of the JSON in the database. Returns where to continue. */
  checkData({ from }: { from?: DataPosition }): Promise<DataChunk> {
    return checkData(this.#connect(), storedData, from);
  }

  /** Resumes work that was running when the previous runtime ended. */
  async recover({ started }: { started: number }): Promise<void> {
    await releaseClaims(this.#connect(), started);
    await resumeImports(this.env, this.ctx, started);
    await resendEventsBefore(this.env, started);
  }

  #connect() {
    return connect(this.env.DB, { intent: 'write' }).db;
  }
}
