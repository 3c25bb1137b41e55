import { WorkerEntrypoint } from 'cloudflare:workers';
import gateway from '@octavo/gateway';
import { findResponder } from '@octavo/gateway/route';
import { startBuffering, writeLater } from './buffered-log.ts';
import { countRequest } from './collect-garbage.ts';
import { handleEndedObject } from './ended-object.ts';
import type { Machine } from './machine.ts';
import { createPageCache } from './page-cache.ts';
import { createGateway, type MachineEnvironment } from './wire.ts';

export { Machine } from './machine.ts';

let objectId: DurableObjectId | undefined;

function getObject({ MACHINE, DATABASE }: MachineEnvironment): DurableObjectStub<Machine> {
  objectId ??= MACHINE.idFromName(DATABASE);
  return MACHINE.get(objectId) as DurableObjectStub<Machine>;
}

/** The entrypoint of the operator's socket. */
export class OperatorDoor extends WorkerEntrypoint<MachineEnvironment> {
  override fetch(request: Request): Promise<Response> {
    return getObject(this.env).handleOperatorRequest(request);
  }
}

startBuffering();

let gatewayBindings: ReturnType<typeof createGateway> | undefined;

/** Serves requests that need no worker, and forwards all others unchanged to the machine's object. */
export default {
  async fetch(request, env, context) {
    countRequest();
    gatewayBindings ??= createGateway(env, new Map());
    const responder = findResponder(request, gatewayBindings);
    const cachedBindings = responder === 'worker' ? createPageCache(request) : undefined;
    if (responder === 'gateway' || cachedBindings !== undefined) {
      const response = await gateway.fetch(request, { ...gatewayBindings, ...cachedBindings });
      writeLater(context);
      return response;
    }
    try {
      return await getObject(env).fetch(request);
    } catch (error) {
      if (!URL.canParse(request.url)) return gateway.fetch(request, gatewayBindings);
      return handleEndedObject(error, request, () => getObject(env));
    }
  },
} satisfies ExportedHandler<MachineEnvironment>;
