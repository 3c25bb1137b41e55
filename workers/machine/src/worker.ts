import { WorkerEntrypoint } from 'cloudflare:workers';
import gateway from '@octavo/gateway';
import { answersAlone } from '@octavo/gateway/route';
import { errorResponse } from '@octavo/runtime';
import { newId } from '@octavo/schema';
import { startGathering, writeLater } from './gathered-log.ts';
import { knownPages } from './known-pages.ts';
import type { Machine } from './machine.ts';
import { gatewayOf, type MachineEnvironment } from './wire.ts';

export { Machine } from './machine.ts';

const objectOf = ({ MACHINE, DATABASE }: MachineEnvironment): DurableObjectStub<Machine> =>
  MACHINE.get(MACHINE.idFromName(DATABASE)) as DurableObjectStub<Machine>;

/** What the operator's socket leads to. */
export class OperatorDoor extends WorkerEntrypoint<MachineEnvironment> {
  override fetch(request: Request): Promise<Response> {
    return objectOf(this.env).operate(request);
  }
}

startGathering();

type Alone = ReturnType<typeof gatewayOf>;

const isAnsweredAlone = ({ method }: Request, url: URL | null, env: Alone): boolean =>
  url === null || method === 'OPTIONS' || answersAlone(method, url, env);

let alone: Alone | undefined;

/** What needs no worker is answered here; all else goes into the machine's object as it came, and out as it comes. */
export default {
  async fetch(request, env, context) {
    const url = URL.parse(request.url);
    alone ??= gatewayOf(env, new Map());
    const known = knownPages(request);
    if (known !== undefined || isAnsweredAlone(request, url, alone)) {
      const answer = await gateway.fetch(request, { ...alone, ...known });
      writeLater(context);
      return answer;
    }
    try {
      return await objectOf(env).fetch(request);
    } catch (error) {
      return errorResponse(error, newId('request'));
    }
  },
} satisfies ExportedHandler<MachineEnvironment>;
