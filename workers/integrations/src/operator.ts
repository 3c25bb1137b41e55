import { WorkerEntrypoint } from 'cloudflare:workers';
import { recoverDeliveries } from './deliveries/sweep-deliveries.ts';
import type { IntegrationsEnvironment } from './environment.ts';

/** What the operator of an installation may do. Bound to the installation's own control channel, never to the gateway. */
export class Operator extends WorkerEntrypoint<IntegrationsEnvironment> {
  /** Takes up at once what was under way when the runtime before this one ended. */
  async recover({ started }: { started: number }): Promise<void> {
    await recoverDeliveries(this.env, started);
  }
}
