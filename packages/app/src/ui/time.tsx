import type { VNode } from 'preact';

const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

function describeTime(time: string, now: number): string {
  const seconds = (Date.parse(time) - now) / 1000;
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  return unit === undefined ? 'just now' : relative.format(Math.round(seconds / unit[1]), unit[0]);
}

/** A time relative to now, such as "2 hours ago". */
export const RelativeTime = ({ time }: { time: string }): VNode => (
  <time dateTime={time} title={absolute.format(new Date(time))}>
    {describeTime(time, Date.now())}
  </time>
);
