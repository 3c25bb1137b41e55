import { WorkerEntrypoint } from 'cloudflare:workers';
import { resendFromBefore } from '@octavo/runtime';
import type { PublishingEnvironment } from '../environment.ts';
import { failAbandonedPdfs } from '../pdfs/sweep-pdfs.ts';
import { failAbandonedSpecs } from '../specs/tend-specs.ts';

/** What the operator of an installation may do. Bound to the installation's own control channel, never to the gateway. */
export class Operator extends WorkerEntrypoint<PublishingEnvironment> {
  /** Takes up at once what was under way when the runtime before this one ended. */
  async recover({ started }: { started: number }): Promise<void> {
    await failAbandonedPdfs(this.env, started);
    await failAbandonedSpecs(this.env, started);
    await resendFromBefore(this.env, started);
  }
}
