import * as z from 'zod';

/** A timestamp in the API: ISO 8601 in UTC with milliseconds. */
export const Timestamp = z.iso.datetime().meta({ id: 'Timestamp' });

const dayMilliseconds = 24 * 60 * 60_000;

/**
 * The date of the last call, cached because a list has many timestamps on few days and formatting the date takes most
 * of the time.
 */
let cachedDay = { day: 0, date: '1970-01-01T' };

function formatDate(day: number): string {
  if (cachedDay.day !== day)
    cachedDay = { day, date: new Date(day * dayMilliseconds).toISOString().slice(0, -'00:00:00.000Z'.length) };
  return cachedDay.date;
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0');

/** Converts milliseconds since 1970, as stored in the database, to the API's format. */
export function formatTimestamp(milliseconds: number): string {
  const day = Math.floor(milliseconds / dayMilliseconds);
  const rest = milliseconds - day * dayMilliseconds;
  const [hours, minutes] = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60];
  const [seconds, thousandths] = [Math.floor(rest / 1000) % 60, Math.floor(rest % 1000)];
  return `${formatDate(day)}${pad(hours, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)}.${pad(thousandths, 3)}Z`;
}
