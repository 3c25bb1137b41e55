import type { CallerRecord } from '@octavo/db';

/** Whether a person asks, and not an installation or its integration. */
export const isPerson = ({ integration }: Pick<CallerRecord, 'integration'>): boolean => integration === null;
