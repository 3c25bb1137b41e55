import { serveLocally } from './local-server.ts';

/**
 * Serves an address that responds to the first `passes` requests at once and holds all others until `open` is called.
 */
export async function gated(passes = 0): Promise<{ gate: string; asked: Promise<void>; open: () => void }> {
  const [asked, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let left = passes;
  const gate = await serveLocally(async (_, response) => {
    asked.resolve();
    left -= 1;
    if (left < 0) await opened.promise;
    response.end();
  });
  return { gate, asked: asked.promise, open: opened.resolve };
}
