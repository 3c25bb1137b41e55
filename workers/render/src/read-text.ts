import { splitIntoJson } from '@octavo/db';
import type { ReadSpecification } from '@octavo/schema';
import { readSpecification, SpecificationFault } from '@octavo/specification';

/** The largest specification takes a few seconds to read. */
const maxMilliseconds = 60_000;

/**
 * Returns a function that lets other calls run between steps. It ends the current call if the call's own steps have
 * taken too long.
 */
export function createPause(): () => Promise<void> {
  let [sum, started] = [0, Date.now()];
  return async () => {
    sum += Date.now() - started;
    if (sum > maxMilliseconds) throw new SpecificationFault('The specification takes too long to read.');
    await scheduler.wait(0);
    started = Date.now();
  };
}

/** Reads a specification. Between its steps, other calls run. */
export async function readText(text: Uint8Array): Promise<ReadSpecification> {
  try {
    const { format, document, entries } = await readSpecification(text, createPause());
    return {
      format,
      document: document && toStream(new TextEncoder().encode(JSON.stringify(document))),
      entryLists: splitIntoJson(entries.map((entry, ordinal) => ({ ordinal, ...entry }))),
    };
  } catch (error) {
    if (error instanceof SpecificationFault) return { fault: error.message };
    throw error;
  }
}

/** A stream can be larger than the 32 MiB of a message. */
const toStream = (bytes: Uint8Array) => ({ bytes: new Blob([bytes]).stream(), length: bytes.length });
