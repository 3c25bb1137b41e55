const dayMilliseconds = 24 * 3_600_000;
const graceSeconds = 5 * 60;

/** When a token ends that is given on the UTC day of a moment: five minutes into the next, in seconds since 1970. */
export const endOfDay = (milliseconds: number): number =>
  ((Math.floor(milliseconds / dayMilliseconds) + 1) * dayMilliseconds) / 1000 + graceSeconds;
