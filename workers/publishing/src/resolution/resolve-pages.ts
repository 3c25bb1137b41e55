import type { Connection } from '@octavo/db';
import type { PageReading, ResolvedPage } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';

interface Asking {
  env: PublishingEnvironment;
  absorb: Connection['absorb'];
}

/** The pages that are asked for, in their places; null where none is. One round trip, and none where none is asked for. */
export async function resolvePages(
  { env, absorb }: Asking,
  readings: (PageReading | null)[],
): Promise<(ResolvedPage | null)[]> {
  const asked = readings.filter((each) => each !== null);
  const found = asked.length === 0 ? [] : absorb(await env.CONTENT.resolvePages(asked));
  const rest = found.values();
  return readings.map((each) => (each === null ? null : (rest.next().value ?? null)));
}
