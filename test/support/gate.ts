import { serveLocally } from './local-server.ts';

/** An address that answers the first so many who ask, and all others once it is opened: what asks it stays under way until then. */
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
