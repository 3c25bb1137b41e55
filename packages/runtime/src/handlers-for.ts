import type { Contract, OperationsOf, Served } from '@octavo/schema';
import type { Handler } from './context.ts';

/**
 * Returns `handler`, which gives the function that serves an operation the types of the contract `C` and of the
 * worker's bindings `Env`. Call it once for each worker.
 */
export const handlersFor = <C extends Contract, Env>() => ({
  handler: <Name extends OperationsOf<C>>(_name: Name, handle: Handler<Served<C, Name>, Env>) => handle,
});
