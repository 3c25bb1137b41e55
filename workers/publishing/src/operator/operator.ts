import { WorkerEntrypoint } from 'cloudflare:workers';
import { resendEventsBefore } from '@octavo/runtime';
import type { PublishingEnvironment } from '../environment.ts';
import { failAbandonedPdfs } from '../pdfs/pdfs.ts';
import { failAbandonedSpecs } from '../specs/maintain-specs.ts';

/** Operations of the installation's operator. Bound to the control channel, never to the gateway. */
export class Operator extends WorkerEntrypoint<PublishingEnvironment> {
  /** Resumes the work that was interrupted when the previous runtime ended. */
  async recover({ started }: { started: number }): Promise<void> {
    await failAbandonedPdfs(this.env, started);
    await failAbandonedSpecs(this.env, started);
    await resendEventsBefore(this.env, started);
  }
}
