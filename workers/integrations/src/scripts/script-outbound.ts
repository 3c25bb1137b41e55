import { WorkerEntrypoint } from 'cloudflare:workers';
import { sendOutbound } from '@octavo/script-isolate';

export interface ScriptOutboundSettings {
  publicUrl: string;
  allowsPrivate: boolean;
  tenant: string;
}

/** What Cloudflare makes `cf-connecting-ip` of for the worker that is called, where a worker of the same zone calls it. */
const addressHeader = 'x-real-ip';

/** At Cloudflare: all that a script reaches of the network. */
export class ScriptOutbound extends WorkerEntrypoint<unknown, ScriptOutboundSettings> {
  override fetch(request: Request): Promise<Response> {
    return sendOutbound(request, { ...this.ctx.props, addressHeader, platform: (sent) => fetch(sent) });
  }
}
