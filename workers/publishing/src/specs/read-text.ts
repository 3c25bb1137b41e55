import type { ReadSpecification } from '@octavo/schema';
import { SpecificationFault } from '@octavo/specification';
import type { PublishingEnvironment } from '../environment.ts';

/** Time limit of a call, which includes waiting for other calls of the render worker. */
const maxMilliseconds = 300_000;

type ReadText = Exclude<ReadSpecification, { fault: string }>;

/** Reads the text of a specification in the render worker. @throws SpecificationFault */
export async function readText(bytes: Uint8Array, { RENDER }: PublishingEnvironment): Promise<ReadText> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The render worker did not respond in time.')), maxMilliseconds);
  const result = await Promise.race([RENDER.readSpecification(bytes), timeout]).finally(() => clearTimeout(timer));
  if ('fault' in result) throw new SpecificationFault(result.fault);
  return result;
}
