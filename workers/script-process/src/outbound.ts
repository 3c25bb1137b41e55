import { WorkerEntrypoint } from 'cloudflare:workers';
import { sendOutbound } from '@octavo/script-isolate';
import type { ProcessEnvironment } from './environment.ts';

/** How many requests the run of this moment may still send: a process runs one script at a time. */
let requestsLeft = 0;

/** Begins a run, which may send so many requests. */
export function allowRequests(count: number): void {
  requestsLeft = count;
}

/** All that a script reaches of the network. */
export class Outbound extends WorkerEntrypoint<ProcessEnvironment, { tenant: string }> {
  override async fetch(request: Request): Promise<Response> {
    const { PLATFORM, PUBLIC_URL: publicUrl, ALLOW_PRIVATE, ADDRESS_HEADER: addressHeader } = this.env;
    requestsLeft -= 1;
    if (requestsLeft < 0) throw new Error('The script sends more requests than a run may.');
    const platform = async (sent: Request): Promise<Response> => {
      if (PLATFORM === undefined) throw new Error('The platform has no public address.');
      return PLATFORM.fetch(sent);
    };
    const { tenant } = this.ctx.props;
    return sendOutbound(request, { publicUrl, allowsPrivate: ALLOW_PRIVATE === '1', addressHeader, tenant, platform });
  }
}
