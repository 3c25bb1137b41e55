import { WorkerEntrypoint } from 'cloudflare:workers';
import { recoverDeliveries } from './deliveries/sweep-deliveries.ts';
import type { IntegrationsEnvironment } from './environment.ts';

/** Calls of the platform's operator. Bound to the operator's control channel, never to the gateway. */
export class Operator extends WorkerEntrypoint<IntegrationsEnvironment> {
  /** Resumes the work that a former runtime left. */
  async recover({ started }: { started: number }): Promise<void> {
    await recoverDeliveries(this.env, started);
  }
}
