import { WorkerEntrypoint } from 'cloudflare:workers';
import gateway from '@octavo/gateway';
import { isConstant } from '@octavo/gateway/route';
import { startGathering, writeLater } from './buffered-log.ts';
import { handleEndedObject } from './ended-object.ts';
import type { Machine } from './machine.ts';
import { createPageCache } from './page-cache.ts';
import { createGateway, type MachineEnvironment } from './wire.ts';

export { Machine } from './machine.ts';

const getObject = ({ MACHINE, DATABASE }: MachineEnvironment): DurableObjectStub<Machine> =>
  MACHINE.get(MACHINE.idFromName(DATABASE)) as DurableObjectStub<Machine>;

/** The entrypoint of the operator's socket. */
export class OperatorDoor extends WorkerEntrypoint<MachineEnvironment> {
  override fetch(request: Request): Promise<Response> {
    return getObject(this.env).handleOperatorRequest(request);
  }
}

startGathering();

type GatewayBindings = ReturnType<typeof createGateway>;

const isAnsweredAlone = ({ method }: Request, url: URL | null, env: GatewayBindings): boolean =>
  url === null || method === 'OPTIONS' || isConstant(method, url, env);

let gatewayBindings: GatewayBindings | undefined;

/** Serves requests that need no worker, and forwards all others unchanged to the machine's object. */
export default {
  async fetch(request, env, context) {
    const url = URL.parse(request.url);
    gatewayBindings ??= createGateway(env, new Map());
    const cachedBindings = createPageCache(request);
    if (cachedBindings !== undefined || isAnsweredAlone(request, url, gatewayBindings)) {
      const response = await gateway.fetch(request, { ...gatewayBindings, ...cachedBindings });
      writeLater(context);
      return response;
    }
    try {
      return await getObject(env).fetch(request);
    } catch (error) {
      return handleEndedObject(error, request, () => getObject(env));
    }
  },
} satisfies ExportedHandler<MachineEnvironment>;
