import { serveLocally } from './local-server.ts';

/**
 * Serves an address that responds to the first `passes` requests at once and holds all others until `open` is called.
 */
export async function createGate(passes = 0): Promise<{ gate: string; reached: Promise<void>; open: () => void }> {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let left = passes;
  const gate = await serveLocally(async (_, response) => {
    reached.resolve();
    left -= 1;
    if (left < 0) await opened.promise;
    response.end();
  });
  return { gate, reached: reached.promise, open: opened.resolve };
}
