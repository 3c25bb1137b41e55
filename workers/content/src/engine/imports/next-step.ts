import { clean } from './clean.ts';
import { gather } from './gather.ts';
import type { ImportContext, ImportRecord, Step } from './import-record.ts';
import { ImportFailure } from './import-record.ts';
import { failed } from './import-steps.ts';
import { link } from './link.ts';
import { place } from './place.ts';

/** The next step of an import: what it writes and the record after it. Arriving is the space head's to do. */
export async function nextStep(context: ImportContext, record: ImportRecord, attempts: number): Promise<Step> {
  try {
    if (record.phase === 'clean') return await clean(context, record);
    if (record.phase === 'place') return await place(context, record);
    if (record.phase === 'link') return await link(context, record, attempts);
    return await gather(context, record, attempts);
  } catch (error) {
    if (error instanceof ImportFailure) return failed(record, error.message);
    throw error;
  }
}
