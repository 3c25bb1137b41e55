import { DurableObject } from 'cloudflare:workers';
import gateway from '@octavo/gateway';
import { getStorageError, log } from '@octavo/runtime';
import { collectWhenIdle } from './collect-garbage.ts';
import { openDatabase } from './database.ts';
import type { SlowStatement } from './run-statement.ts';
import { type AdaptModule, createGateway, getSpaceHead, type MachineEnvironment, wireWorkers } from './wire.ts';

const logSlowStatement = (statement: SlowStatement): void => log('warn', 'slow statement', { ...statement });

const databaseOptions = { onSlow: logSlowStatement, findStorageError: getStorageError };

/**
 * The machine's only Durable Object. The database is its own storage, so that a statement is a function call. The
 * workers run inside it, each with its own environment, as at Cloudflare.
 */
export class Machine extends DurableObject<MachineEnvironment> {
  readonly #workers: ReturnType<typeof wireWorkers>;
  readonly #gateway: ReturnType<typeof createGateway>;

  constructor(context: DurableObjectState, env: MachineEnvironment, adapt?: AdaptModule) {
    super(context, env);
    const database = openDatabase(context.storage, databaseOptions);
    this.#workers = wireWorkers(context, env, { database, adapt });
    this.#gateway = createGateway(env, this.#workers);
    collectWhenIdle();
  }

  /** Serves clients' requests. */
  override fetch(request: Parameters<typeof gateway.fetch>[0]): Promise<Response> {
    return gateway.fetch(request, this.#gateway);
  }

  /** Handles the messages of live connections. The content worker has accepted these connections. */
  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> | void {
    return getSpaceHead(this.#workers).webSocketMessage?.(socket, message);
  }

  override webSocketClose(...closed: Parameters<Required<DurableObject>['webSocketClose']>): Promise<void> | void {
    return getSpaceHead(this.#workers).webSocketClose?.(...closed);
  }

  override webSocketError(socket: WebSocket, error: unknown): Promise<void> | void {
    return getSpaceHead(this.#workers).webSocketError?.(socket, error);
  }

  /** Serves the operator's requests. */
  async handleOperatorRequest(request: Request): Promise<Response> {
    const operator = this.#workers.get('operator');
    if (operator === undefined) throw new TypeError('The operator worker does not exist.');
    return operator.fetch(request);
  }
}
