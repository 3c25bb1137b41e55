import { randomString } from '@octavo/schema';

const length = 24;

/** It replaces the stamp of a site, and ends what visitors hold. */
export const newStamp = (): string => randomString(length);
