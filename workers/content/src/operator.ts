import { WorkerEntrypoint } from 'cloudflare:workers';
import type { DataChunk, DataPosition, Parameter } from '@octavo/db';
import { checkData, connect, prepareQuery, readRow, selection, spaces } from '@octavo/db';
import type { WaitingJob } from '@octavo/runtime';
import { listWaitingJobs, releaseClaims, replayJobs, resendSentBefore } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import { and, eq, isNull } from 'drizzle-orm';
import type { HeadEnvironment } from './heads/space-head.ts';
import { queueJobs, resumeImports } from './jobs/crons.ts';
import { storedData } from './stored-data.ts';

const ownerRow = selection({ organization: spaces.organization });
const ownerOfLive = prepareQuery(ownerRow, (select, space: Parameter<SpaceId>) =>
  select.from(spaces).where(and(eq(spaces.id, space), isNull(spaces.deletedAt))),
);

/** What the operator of an installation may do. Bound to the installation's own control channel, never to the gateway. */
export class Operator extends WorkerEntrypoint<HeadEnvironment> {
  async listJobs(): Promise<{ jobs: WaitingJob[] }> {
    return { jobs: await listWaitingJobs(this.#connect()) };
  }

  async replayJobs(which: { id: string } | { all: true }): Promise<{ replayed: number }> {
    return { replayed: await replayJobs(this.#connect(), which) };
  }

  /** Queues the indexing of one live space or of all. Gives how many jobs it queued: none where there is no such space. */
  async rebuildSearch({ space }: { space?: SpaceId }): Promise<{ queued: number }> {
    if (space === undefined) {
      await queueJobs(this.env, this.ctx, [{ type: 'index_spaces', data: {} }]);
      return { queued: 1 };
    }
    const row = await readRow(this.#connect(), ownerOfLive(space));
    if (row === undefined) return { queued: 0 };
    await queueJobs(this.env, this.ctx, [{ type: 'index_space', ...row, space, data: {} }]);
    return { queued: 1 };
  }

  /** Looks at a bounded part of what the database holds as JSON. Gives where to go on. */
  checkData({ from }: { from?: DataPosition }): Promise<DataChunk> {
    return checkData(this.#connect(), storedData, from);
  }

  /** Takes up at once what was under way when the runtime before this one ended. */
  async recover({ started }: { started: number }): Promise<void> {
    await releaseClaims(this.#connect(), started);
    await resumeImports(this.env, this.ctx, started);
    await resendSentBefore(this.env, started);
  }

  #connect() {
    return connect(this.env.DB, { intent: 'write' }).db;
  }
}
