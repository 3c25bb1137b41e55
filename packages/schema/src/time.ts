import * as z from 'zod';

/** A point in time as clients see it: ISO 8601 in UTC with milliseconds. */
export const Timestamp = z.iso.datetime().meta({ id: 'Timestamp' });

/** Milliseconds since 1970, as the database keeps them, in the API's form. */
export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString();
