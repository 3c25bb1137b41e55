import { DurableObject } from 'cloudflare:workers';
import { log } from '@octavo/runtime';
import { openDatabase } from './database.ts';
import { domainHeader } from './domain-header.ts';
import type { MachineEnvironment } from './environment.ts';
import type { SlowStatement } from './run-statement.ts';
import { wire } from './wire.ts';

const tellSlow = (statement: SlowStatement): void => log('warn', 'slow statement', { ...statement });

/**
 * The one Durable Object of the machine. The database is its own storage, so that a statement is a function call, and the
 * workers run in it, each with an environment of its own, as at Cloudflare.
 */
export class Machine extends DurableObject<MachineEnvironment> {
  readonly #workers: ReturnType<typeof wire>;

  constructor(context: DurableObjectState, env: MachineEnvironment) {
    super(context, env);
    this.#workers = wire(context, env, openDatabase(context.storage, { onSlow: tellSlow }));
  }

  override fetch(request: Request): Promise<Response> | Response {
    const name = request.headers.get(domainHeader) ?? '';
    const worker = this.#workers.get(name);
    if (worker === undefined) throw new TypeError(`There is no worker "${name}".`);
    return worker.fetch(request);
  }
}
