import { expect, test } from 'vitest';
import { readUsage } from './process-usage.ts';

test('reports the usage of a process', () => {
  const { rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const usage = readUsage(process.pid);

  expect((usage?.residentBytes ?? 0) / rss).toBeCloseTo(1, 1);
  expect(Math.abs((usage?.cpuMilliseconds ?? 0) - (user + system) / 1000)).toBeLessThan(200);
  expect(readUsage(2 ** 30)).toBeUndefined();
});
