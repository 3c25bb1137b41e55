import * as z from 'zod';

/** A point in time as clients see it: ISO 8601 in UTC with milliseconds. */
export const Timestamp = z.iso.datetime().meta({ id: 'Timestamp' });

const dayMilliseconds = 24 * 60 * 60_000;

/** The day that was asked for last: a list has many times of a few days, and a date takes longer than all else. */
let known = { day: 0, date: '1970-01-01T' };

function dateOf(day: number): string {
  if (known.day !== day)
    known = { day, date: new Date(day * dayMilliseconds).toISOString().slice(0, -'00:00:00.000Z'.length) };
  return known.date;
}

const padded = (value: number, length: number): string => String(value).padStart(length, '0');

/** Milliseconds since 1970, as the database keeps them, in the API's form. */
export function timestamp(milliseconds: number): string {
  const day = Math.floor(milliseconds / dayMilliseconds);
  const rest = milliseconds - day * dayMilliseconds;
  const [hours, minutes] = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60];
  const [seconds, thousandths] = [Math.floor(rest / 1000) % 60, Math.floor(rest % 1000)];
  return `${dateOf(day)}${padded(hours, 2)}:${padded(minutes, 2)}:${padded(seconds, 2)}.${padded(thousandths, 3)}Z`;
}
