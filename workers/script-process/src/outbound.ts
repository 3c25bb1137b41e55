import { WorkerEntrypoint } from 'cloudflare:workers';
import { sendOutbound } from '@octavo/script-isolate';

/** The bindings are made in packages/platform/src/script-host/script-process.ts. */
export interface ProcessEnvironment {
  LOADER: WorkerLoader;
  /** The platform's gateway. */
  PLATFORM?: Fetcher;
  PUBLIC_URL: string;
  ALLOW_PRIVATE: string;
  ADDRESS_HEADER: string;
}

/** Requests that the current run may still send. A process runs one script at a time. */
let requestsLeft = 0;

/** Resets the number of requests for a new run. */
export function allowRequests(count: number): void {
  requestsLeft = count;
}

/** The script's only access to the network. */
export class Outbound extends WorkerEntrypoint<ProcessEnvironment, { tenant: string }> {
  override async fetch(request: Request): Promise<Response> {
    const { PLATFORM, PUBLIC_URL: publicUrl, ALLOW_PRIVATE, ADDRESS_HEADER: addressHeader } = this.env;
    requestsLeft -= 1;
    if (requestsLeft < 0) throw new Error('The script exceeded the number of requests per run.');
    const fetchFromPlatform = async (sent: Request): Promise<Response> => {
      if (PLATFORM === undefined) throw new Error('The platform has no public URL.');
      return PLATFORM.fetch(sent);
    };
    const { tenant } = this.ctx.props;
    return sendOutbound(request, {
      publicUrl,
      allowsPrivate: ALLOW_PRIVATE === '1',
      addressHeader,
      tenant,
      platform: fetchFromPlatform,
    });
  }
}
