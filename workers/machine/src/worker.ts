import { WorkerEntrypoint } from 'cloudflare:workers';
import gateway from '@octavo/gateway';
import { domainHeader } from './domain-header.ts';
import type { MachineEnvironment } from './environment.ts';
import { wiringOf } from './environment.ts';

export { Machine } from './machine.ts';

type GatewayEnvironment = Parameters<typeof gateway.fetch>[1];

/** Sends a request on to a worker in the machine's object. */
function send(env: MachineEnvironment, worker: string, request: Request): Promise<Response> {
  request.headers.set(domainHeader, worker);
  return env.MACHINE.get(env.MACHINE.idFromName(env.DATABASE)).fetch(request);
}

let front: GatewayEnvironment | undefined;

/** The gateway's environment: it runs here, before the object, and what it answers itself goes no further. */
function frontOf(env: MachineEnvironment): GatewayEnvironment {
  const { vars = {}, services = {}, passed = {} } = wiringOf(env).gateway ?? {};
  const bound = Object.entries(services).map(([binding, { worker }]) => [
    binding,
    { fetch: (request: Request) => send(env, worker, request) },
  ]);
  const given = Object.entries(passed).map(([binding, name]) => [binding, env[name]]);
  return { ...vars, ...Object.fromEntries(bound), ...Object.fromEntries(given) } as GatewayEnvironment;
}

/** What the operator's socket leads to. */
export class OperatorDoor extends WorkerEntrypoint<MachineEnvironment> {
  override fetch(request: Request): Promise<Response> {
    return send(this.env, 'operator', new Request(request, { headers: new Headers(request.headers) }));
  }
}

export default {
  fetch(request, env) {
    front ??= frontOf(env);
    return gateway.fetch(request, front);
  },
} satisfies ExportedHandler<MachineEnvironment>;
